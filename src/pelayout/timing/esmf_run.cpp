#include "pelayout/timing/esmf_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/files.hpp>

#include "pelayout/timing/esmf_driver.hpp"
#include "pelayout/timing/run_length.hpp"
#include "pelayout/timing/timing_formats.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Name of the mediator in timing profiles: they call it the coupler.
constexpr const char* coupler_name = "CPL";

/// Rounding error of times in timing profiles, which have three decimal digits.
constexpr double profile_rounding_s = 0.0011;

std::string timing_name(const std::string& name) {
  return name == mediator_name ? coupler_name : name;
}

/// Returns the time in CIME's timing profile.
double profile_seconds(const ComponentWork& work) {
  return work.name == mediator_name ? work.mean_s : work.maximum_s;
}

WorkTiming division_of(const ComponentWork& work) {
  return {.work_seconds = work.work_s,
          .waiting_seconds = work.waiting_s,
          .imbalance = work.imbalance,
          .waits_for = work.waits_for};
}

void report(Severity severity, const char* check, std::string what, TimingFile& run,
            std::string suggestion = {}) {
  run.warnings.push_back({.severity = severity,
                          .check = check,
                          .what = std::move(what),
                          .file = run.path,
                          .suggestion = std::move(suggestion)});
}

/// Returns the coupling steps of a run: those of the component that runs most often.
std::int64_t steps_of(const std::vector<ComponentWork>& works, const std::string& path) {
  std::int64_t steps = 0;
  for (const ComponentWork& work : works) steps = std::max(steps, work.steps.value_or(0));
  if (steps == 0)
    throw support::bad_input("unknown number of coupling steps: the PETs of all components differ in it",
                             path, "use the timing profile of the run");
  return steps;
}

/// Adds the ranks to a component. Those that the profile does not show are left at 0.
void set_ranks(const std::vector<ObservedRanks>& all, const std::string& name, ComponentTiming& timing,
               std::vector<std::string>& uncertain) {
  const auto found =
      std::ranges::find(all, name, [](const ObservedRanks& observed) { return observed.ranks.name; });
  if (found == all.end()) return;
  timing.root = found->ranks.root;
  timing.stride = found->ranks.stride;
  if (!found->is_certain())
    uncertain.push_back(fmt::format("{} {} (between {} and {})", timing.component, timing.root,
                                    found->first_root, found->last_root));
}

void warn_of_missing_end(const EsmfProfile& profile, TimingFile& run) {
  const bool is_complete = std::ranges::any_of(profile.regions, [](const EsmfRegion& region) {
    return region.name.find("] Finalize") != std::string::npos;
  });
  if (!is_complete)
    report(Severity::warning, "esmf-end",
           "missing region \"Finalize\": the file may be truncated, and lack components", run,
           "copy it again");
}

}  // namespace

TimingFile run_of(const EsmfProfile& profile, const RunFacts& facts) {
  check_run_facts(facts);
  TimingFile run;
  run.path = profile.path;
  run.log_id = run_time_in(profile.path);
  run.is_from_statistics = true;
  run.processors = profile.regions.front().pets;
  const std::vector<ObservedRanks> observed = ranks_in(profile);
  std::vector<ComponentRanks> ranks;
  for (const ObservedRanks& each : observed) ranks.push_back(each.ranks);
  const std::vector<ComponentWork> works = component_work(profile, ranks);
  set_run_length(steps_of(works, profile.path), facts, run);
  warn_of_missing_end(profile, run);
  double coupling_s = 0;
  std::vector<std::string> uncertain;
  for (const ComponentWork& work : works) {
    if (!is_component_name(work.name)) {
      coupling_s += work.mean_s;
      continue;
    }
    ComponentTiming& timing = run.components.emplace_back();
    timing.component = timing_name(work.name);
    timing.tasks = work.tasks;
    timing.seconds = profile_seconds(work);
    timing.seconds_per_day = timing.seconds / run_length(run);
    timing.work = division_of(work);
    set_ranks(observed, work.name, timing, uncertain);
  }
  run.coupling_seconds_per_day = coupling_s / run_length(run);
  set_total(profile.regions[find_driver(profile, 0).region].maximum_s, run);
  if (!uncertain.empty())
    report(Severity::note, "esmf-roots",
           fmt::format("the profile does not show the first rank of each component; assumed: {}",
                       fmt::join(uncertain, ", ")),
           run);
  return run;
}

void add_work(const EsmfProfile& profile, TimingFile& run) {
  std::vector<ComponentRanks> ranks;
  for (const ComponentTiming& timing : run.components)
    ranks.push_back({timing.component, timing.root, timing.tasks, std::max<std::int64_t>(1, timing.stride)});
  std::vector<std::string> different;
  for (const ComponentWork& work : component_work(profile, ranks, run.driver_instance)) {
    const auto timing =
        std::ranges::find(run.components, timing_name(work.name), &ComponentTiming::component);
    if (timing == run.components.end()) continue;
    if (timing->tasks == work.tasks &&
        std::abs(timing->seconds - profile_seconds(work)) <= profile_rounding_s)
      timing->work = division_of(work);
    else
      different.push_back(timing->component);
  }
  if (!different.empty())
    report(Severity::warning, "esmf-profile",
           fmt::format("{} has other times or tasks of {} than this file: they are not divided into work and "
                       "waiting",
                       profile.path, fmt::join(different, ", ")),
           run, "check that both files are of one run");
}

void add_work_from_directory(TimingFile& run) {
  const std::string_view run_time = run_time_in(run.log_id.empty() ? run.path : run.log_id);
  if (run_time.empty()) return;
  const std::size_t slash = run.path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : run.path.substr(0, slash);
  std::vector<std::string> paths;
  support::for_each_readable_entry(folder, [&](const support::FolderEntry& entry) {
    const std::string name = entry.path().filename().string();
    if (names_esmf_profile(name) && run_time_in(name) == run_time) paths.push_back(entry.path().string());
  });
  for (const std::string& path : paths) {
    try {
      add_work(parse_esmf_profile(read_gzip_or_plain(path), path), run);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_input) throw;
      report(Severity::warning, "esmf-profile", to_string(error.diagnostic()) + "; file skipped", run);
    }
  }
}

bool names_esmf_profile(std::string_view name) {
  return name.find("ESMF_Profile.summary") != std::string_view::npos;
}

}  // namespace plimsoll::pelayout
