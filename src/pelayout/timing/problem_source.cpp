#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/timing/run_groups.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr const char* default_prefix = "lbt_timing_run";  // default of plimsoll layout submit

bool names_nothing(const TimingSearch& search) {
  return search.files.empty() && search.folders.empty() && search.casename_prefixes.empty() &&
         search.test_ids.empty();
}

void expect_runs_that_belong_together(std::span<const TimingFile> runs, bool mix,
                                      std::vector<Diagnostic>& warnings) {
  const std::vector<RunGroup> groups = group_runs(runs);
  if (groups.size() < 2) return;
  const std::string found = fmt::format("the timing files do not belong together: {}", to_string(groups));
  if (!mix)
    throw support::bad_input(found, "", "specify the files of one group, or use --mix to combine them");
  warnings.push_back({.severity = support::Severity::warning, .check = "mix", .what = found});
}

Problem load_timing_files(const ProblemSource& source, std::vector<Diagnostic>& warnings) {
  TimingSearch search = source.search;
  if (names_nothing(search)) search.casename_prefixes.emplace_back(default_prefix);
  const TimingFiles found = find_timing_files(search);
  warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
  expect_runs_that_belong_together(found.files, source.mix, warnings);
  if (source.on_timing_file) std::ranges::for_each(found.files, source.on_timing_file);
  return gather_timings(found.files,
                        {.unit = source.unit.value_or(CostUnit::seconds_per_day),
                         .combination = source.combination,
                         .threads = source.threads},
                        warnings);
}

/// Loads a problem from JSON. CIME's files do not specify whether their costs are per day or per run.
Problem load_json(const ProblemSource& source) {
  Problem problem = read_problem(source.json);
  if (problem.unit != CostUnit::seconds_per_day && source.unit == CostUnit::seconds_per_day)
    throw Error(ErrorKind::usage, {.what = fmt::format("cannot convert costs in {} to costs per day",
                                                       unit_symbol(problem.unit)),
                                   .file = source.json,
                                   .suggestion = "use the file's unit, or the timing files"});
  problem.unit = source.unit.value_or(problem.unit);
  return problem;
}

/// Components for which CIME's tool accepts block sizes, even if the data lack them.
constexpr std::array<std::string_view, 9> documented_components = {"ATM", "ICE", "CPL", "LND", "WAV",
                                                                   "ROF", "OCN", "GLC", "ESP"};

void check_block_size(std::int64_t size, const std::string& owner) {
  if (size < 1 || size > max_count)
    throw support::usage_error(fmt::format("invalid block size {} of {}", size, owner),
                               fmt::format("use 1 to {}", max_count));
}

/// Sets block sizes. With `keep`, the block sizes of the data remain divisors.
void set_block_sizes(const BlockSizes& sizes, bool keep, Problem& problem,
                     std::vector<Diagnostic>& warnings) {
  std::map<std::string, std::int64_t> divisors;
  for (const Component& component : problem.components)
    divisors[component.name] = keep ? component.block_size : 1;
  if (sizes.all) {
    check_block_size(*sizes.all, "all components");
    for (Component& component : problem.components)
      component.block_size = std::lcm(divisors[component.name], *sizes.all);
  }
  for (const auto& [name, size] : sizes.by_component) {
    check_block_size(size, name);
    const auto found = std::ranges::find(problem.components, name, &Component::name);
    if (found != problem.components.end()) {
      found->block_size = std::lcm(divisors[name], size);
    } else if (std::ranges::find(documented_components, name) != documented_components.end()) {
      warnings.push_back(
          {.severity = support::Severity::warning,
           .what = fmt::format("the block size of {0} has no effect: the data do not contain {0}", name)});
    } else {
      throw support::usage_error(fmt::format("block size of unknown component {}", support::in_quotes(name)),
                                 fmt::format("available: {}", fmt::join(problem.component_names(), ", ")));
    }
  }
}

void set_limits(const std::map<std::string, std::int64_t>& limits, Problem& problem) {
  for (const auto& [name, limit] : limits) {
    if (limit < 1 || limit > max_count)
      throw support::usage_error(
          fmt::format("invalid limit {} of {}: must be between 1 and {}", limit, name, max_count));
    const auto found = std::ranges::find(problem.components, name, &Component::name);
    if (found == problem.components.end())
      throw support::usage_error(fmt::format("limit of unknown component {}", support::in_quotes(name)),
                                 fmt::format("available: {}", fmt::join(problem.component_names(), ", ")));
    found->limit = limit;
  }
}

}  // namespace

Problem load_problem(const ProblemSource& source, std::vector<Diagnostic>& warnings) {
  const bool from_runs = source.json.empty();
  Problem problem = from_runs ? load_timing_files(source, warnings) : load_json(source);
  set_block_sizes(source.block_sizes, from_runs, problem, warnings);
  set_limits(source.limits, problem);
  return problem;
}

}  // namespace plimsoll::pelayout
