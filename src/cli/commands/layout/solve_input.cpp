#include "cli/commands/layout/solve_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>

#include <plimsoll/pelayout/timing_search.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::cli {

namespace {

using pelayout::Combination;
using pelayout::CostUnit;

constexpr const char* default_prefix = "lbt_timing_run";  // of plimsoll layout submit

CostUnit unit_of(const std::string& cost) {
  return cost == "total" ? CostUnit::total_seconds : CostUnit::seconds_per_day;
}

Combination combination_of(const std::string& name) {
  return name == "mean" ? Combination::mean : name == "least" ? Combination::least : Combination::median;
}

Diagnostic warning(std::string what, std::string suggestion = {}) {
  return {
      .severity = support::Severity::warning, .what = std::move(what), .suggestion = std::move(suggestion)};
}

pelayout::Problem problem_of_timing_files(const SolveOptions& options, std::vector<Diagnostic>& warnings,
                                          const Terminal& terminal) {
  pelayout::TimingSearch search = options.search;
  search.files.insert(search.files.end(), options.files.begin(), options.files.end());
  if (search.files.empty() && search.folders.empty() && search.casename_prefixes.empty() &&
      search.test_ids.empty())
    search.casename_prefixes.emplace_back(default_prefix);
  const pelayout::TimingFiles found = find_timing_files(search);
  warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
  if (options.verbose)
    for (const pelayout::TimingFile& file : found.files)
      terminal.show_note("Reading timing file " + file.path);
  return gather(found.files,
                {.unit = unit_of(options.cost),
                 .combination = combination_of(options.combine),
                 .threads = options.threads},
                warnings);
}

/// CIME's files do not say whether their costs are of a day or of a run.
void set_unit(const SolveOptions& options, const CLI::App& app, pelayout::Problem& problem) {
  if (app.count("--cost") == 0) return;
  if (problem.unit == CostUnit::total_seconds && options.cost == "day")
    throw Error(ErrorKind::usage, {.what = "has costs of whole runs, from which none per day can be made",
                                   .file = options.json_input,
                                   .suggestion = "leave --cost out, or take the timing files"});
  problem.unit = unit_of(options.cost);
}

pelayout::Problem problem_of_json(const SolveOptions& options, const CLI::App& app,
                                  std::vector<Diagnostic>& warnings) {
  const std::vector<std::string> ignored = timing_options(app);
  if (!ignored.empty())
    warnings.push_back(
        warning(fmt::format("{} {} ignored, since the data come from {}", fmt::join(ignored, ", "),
                            ignored.size() > 1 ? "are" : "is", options.json_input)));
  pelayout::Problem problem = pelayout::read_problem(options.json_input);
  set_unit(options, app, problem);
  return problem;
}

/// CIME's tool takes block sizes of these, whether the data have them or not.
constexpr std::array documented_components = {"ATM", "ICE", "CPL", "LND", "WAV", "ROF", "OCN", "GLC", "ESP"};

void set_block_sizes(const SolveOptions& options, pelayout::Problem& problem,
                     std::vector<Diagnostic>& warnings) {
  if (options.block_size && (*options.block_size < 1 || *options.block_size > pelayout::greatest_count))
    throw support::usage_error(fmt::format("--blocksize is {}", *options.block_size),
                               fmt::format("it is from 1 to {}", pelayout::greatest_count));
  for (pelayout::Component& component : problem.components)
    if (options.block_size) component.block_size = *options.block_size;
  for (const auto& [name, size] : options.block_sizes) {
    const auto found = std::ranges::find(problem.components, name, &pelayout::Component::name);
    if (found == problem.components.end()) {
      if (std::ranges::find(documented_components, name) != documented_components.end()) {
        warnings.push_back(warning(fmt::format("--blocksize_{0} has no effect: the data have no {0}", name)));
        continue;
      }
      std::vector<std::string> names;
      for (const pelayout::Component& component : problem.components) names.push_back(component.name);
      throw support::usage_error(fmt::format("--blocksize_{} is of no component of the data", name),
                                 fmt::format("these are {}", fmt::join(names, ", ")));
    }
    found->block_size = size;
  }
}

}  // namespace

pelayout::Problem read_problem(const SolveOptions& options, const CLI::App& app,
                               std::vector<Diagnostic>& warnings, const Terminal& terminal) {
  pelayout::Problem problem = options.json_input.empty()
                                  ? problem_of_timing_files(options, warnings, terminal)
                                  : problem_of_json(options, app, warnings);
  set_block_sizes(options, problem, warnings);
  return problem;
}

void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal) {
  constexpr std::size_t few = 8;
  std::span<const Diagnostic> rest =
      options.verbose ? warnings : warnings.first(std::min(few, warnings.size()));
  for (; !rest.empty(); rest = rest.subspan(1)) terminal.show_warnings(rest.first(1));
  if (warnings.size() > few && !options.verbose)
    terminal.show_note(fmt::format("and {} more warnings; --verbose shows them", warnings.size() - few));
}

}  // namespace plimsoll::cli
