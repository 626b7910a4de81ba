#include "pelayout/timing/run_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include <plimsoll/support/internal/text.hpp>

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

}  // namespace plimsoll::pelayout
