#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/timing/run_groups.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns "3 of ATM and LND" for ensembles; empty for single instances.
std::string instances(const TimingFile& run) {
  std::vector<std::string> several;
  for (const ComponentTiming& timing : run.components)
    if (timing.instances > 1) several.push_back(fmt::format("{} x {}", timing.instances, timing.component));
  return several.empty() ? "1 of each component" : fmt::format("{}", fmt::join(several, ", "));
}

/// A value of a run that determines its costs.
struct Aspect {
  const char* name;
  std::string (*value)(const TimingFile& run);
};

constexpr Aspect aspects[] = {{"machine", [](const TimingFile& run) { return run.machine; }},
                              {"grid", [](const TimingFile& run) { return run.grid; }},
                              {"compset", [](const TimingFile& run) { return run.compset; }},
                              {"instances", instances}};

std::vector<Aspect> differing_aspects(std::span<const TimingFile> runs) {
  std::vector<Aspect> differing;
  for (const Aspect& aspect : aspects) {
    std::set<std::string> values;
    for (const TimingFile& run : runs) values.insert(aspect.value(run));
    values.erase("");
    if (values.size() > 1) differing.push_back(aspect);
  }
  return differing;
}

std::string setup(const TimingFile& run, std::span<const Aspect> differing) {
  std::vector<std::string> parts;
  for (const Aspect& aspect : differing) {
    const std::string value = aspect.value(run);
    parts.push_back(fmt::format("{} {}", aspect.name, value.empty() ? "unknown" : value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<RunGroup> group_runs(std::span<const TimingFile> runs) {
  const std::vector<Aspect> differing = differing_aspects(runs);
  std::vector<RunGroup> groups;
  for (const TimingFile& run : runs) {
    const std::string its_setup = setup(run, differing);
    auto group = std::ranges::find(groups, its_setup, &RunGroup::setup);
    if (group == groups.end()) group = groups.insert(group, {its_setup, {}});
    group->paths.push_back(run.path);
  }
  return groups;
}

std::string to_string(std::span<const RunGroup> groups) {
  std::vector<std::string> parts;
  for (const RunGroup& group : groups)
    parts.push_back(fmt::format(
        "{} {} with {} ({}{})", group.paths.size(), group.paths.size() == 1 ? "file" : "files", group.setup,
        support::in_quotes(group.paths.front()), group.paths.size() > 1 ? ", ..." : ""));
  return fmt::format("{}", fmt::join(parts, "; "));
}

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
  if (problem.unit == CostUnit::total_seconds && source.unit == CostUnit::seconds_per_day)
    throw Error(ErrorKind::usage, {.what = "cannot convert costs of whole runs to costs per day",
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

}  // namespace

Problem load_problem(const ProblemSource& source, std::vector<Diagnostic>& warnings) {
  const bool from_runs = source.json.empty();
  Problem problem = from_runs ? load_timing_files(source, warnings) : load_json(source);
  set_block_sizes(source.block_sizes, from_runs, problem, warnings);
  return problem;
}

}  // namespace plimsoll::pelayout
