#include "pelayout/timing/run_groups.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns "3 x ATM, 3 x LND" for ensembles.
std::string instances(const TimingFile& run) {
  std::vector<std::string> several;
  for (const ComponentTiming& timing : run.components)
    if (timing.instances > 1) several.push_back(fmt::format("{} x {}", timing.instances, timing.component));
  return several.empty() ? "1 of each component" : fmt::format("{}", fmt::join(several, ", "));
}

std::string name_of_coupler(const TimingFile& run) {
  switch (run.coupler) {
    case Coupler::oasis: return "OASIS";
    case Coupler::fms: return "FMS";
    case Coupler::driver: break;
  }
  return "CIME or NUOPC";
}

/// A value of a run that determines its costs.
using Aspect = support::Named<std::string (*)(const TimingFile& run)>;

constexpr Aspect aspects[] = {{"coupler", name_of_coupler},
                              {"machine", [](const TimingFile& run) { return run.machine; }},
                              {"driver", [](const TimingFile& run) { return run.driver; }},
                              {"grid", [](const TimingFile& run) { return run.grid; }},
                              {"compset", [](const TimingFile& run) { return run.compset; }},
                              {"instances", instances}};

/// Returns the version of the model in a case name of CESM, which begins with a letter and the version:
/// "e30_beta02" of "b.e30_beta02.BLT1850.ne30_t232.103". Empty for other names.
std::string model_version(const TimingFile& run) {
  const std::string_view name = run.case_name;
  const std::size_t first = name.find('.');
  const std::size_t second = first == std::string_view::npos ? first : name.find('.', first + 1);
  if (first != 1 || second == std::string_view::npos) return "";
  const std::string_view version = name.substr(first + 1, second - first - 1);
  const bool has_number = version.size() > 1 && version[1] >= '0' && version[1] <= '9';
  return version.starts_with('e') && has_number ? std::string(version) : "";
}

/// Returns the name of the case without the number of the run at its end: "lbt_timing_run" of
/// "lbt_timing_run_16".
std::string case_stem(const TimingFile& run) {
  const std::string_view name = run.case_name;
  const std::string_view without_number = name.substr(0, name.find_last_not_of("0123456789") + 1);
  const std::size_t end = without_number.find_last_not_of("._-");
  return std::string(end == std::string_view::npos ? name : name.substr(0, end + 1));
}

/// Values that may name what differs between runs, although all aspects are equal. They differ between runs
/// that do belong together, too: only costs tell whether they matter.
constexpr Aspect hidden_aspects[] = {{"model version", model_version}, {"case", case_stem}};

std::set<std::string> known_values(std::span<const TimingFile> runs, const Aspect& aspect) {
  std::set<std::string> values;
  for (const TimingFile& run : runs) values.insert(aspect.value(run));
  values.erase("");
  return values;
}

std::string setup(const TimingFile& run, std::span<const Aspect> differing) {
  std::vector<std::string> parts;
  for (const Aspect& aspect : differing) {
    const std::string value = aspect.value(run);
    parts.push_back(fmt::format("{} {}", aspect.name, value.empty() ? "unknown" : value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Costs above this multiple of others on the same tasks are of another model.
constexpr double different_cost = 1.25;
/// Components that take less than this share of the longest one in their run are ignored.
constexpr double significant_share = 0.05;

/// Minimum and maximum of costs.
struct Extremes {
  double minimum = 0;
  double maximum = 0;

  void add(double cost) {
    minimum = maximum == 0 ? cost : std::min(minimum, cost);
    maximum = std::max(maximum, cost);
  }
  bool differ() const { return maximum > different_cost * minimum; }
};

/// A component on a number of threads.
using ThreadedComponent = std::pair<std::string, std::int64_t>;

/// Costs that belong to one model only if they are similar.
struct Costs {
  std::map<std::pair<ThreadedComponent, std::int64_t>, Extremes> on_same_tasks;  ///< by component and tasks
  /// Costs by tasks of the components that took longest in their runs.
  std::map<ThreadedComponent, std::vector<std::pair<std::int64_t, double>>> longest = {};

  void add(const TimingFile& run) {
    if (run.components.empty()) return;
    const auto most = std::ranges::max_element(run.components, {}, &ComponentTiming::seconds);
    for (const ComponentTiming& timing : run.components) {
      if (timing.seconds <= significant_share * most->seconds) continue;
      const ThreadedComponent component{timing.component, timing.threads};
      on_same_tasks[{component, timing.tasks}].add(timing.seconds_per_day);
      if (&timing == &*most) longest[component].emplace_back(timing.tasks, timing.seconds_per_day);
    }
  }

  bool differ() const {
    return std::ranges::any_of(on_same_tasks, [](const auto& entry) { return entry.second.differ(); }) ||
           std::ranges::any_of(longest, [](const auto& entry) { return rise(entry.second); });
  }

  /// Returns whether a cost is much higher than one on the same or fewer tasks.
  static bool rise(std::vector<std::pair<std::int64_t, double>> by_tasks) {
    std::ranges::sort(by_tasks);
    double minimum = by_tasks.front().second;
    for (const auto& [tasks, cost] : by_tasks) {
      if (cost > different_cost * minimum) return true;
      minimum = std::min(minimum, cost);
    }
    return false;
  }
};

/// Returns whether runs with different values of an aspect have different costs, while runs with the same
/// value have similar ones. O(runs x log(runs) x components).
bool explains_costs(std::span<const TimingFile> runs, const Aspect& aspect) {
  Costs all;
  std::map<std::string, Costs> by_value;
  for (const TimingFile& run : runs) {
    all.add(run);
    by_value[aspect.value(run)].add(run);
  }
  return all.differ() &&
         std::ranges::none_of(by_value, [](const auto& entry) { return entry.second.differ(); });
}

std::vector<Aspect> differing_aspects(std::span<const TimingFile> runs) {
  std::vector<Aspect> differing;
  for (const Aspect& aspect : aspects)
    if (known_values(runs, aspect).size() > 1) differing.push_back(aspect);
  if (!differing.empty()) return differing;
  for (const Aspect& aspect : hidden_aspects)
    if (known_values(runs, aspect).size() > 1 && explains_costs(runs, aspect)) return {aspect};
  return {};
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
