#include "pelayout/timing/work_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <plimsoll/pelayout/problem.hpp>

#include "pelayout/timing/run_length.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Waiting is significant from this share of the component's mean time, and if the mean waiting, or the
/// waiting of the slowest rank, is this share of the run.
constexpr double significant_share_of_component = 0.2;
constexpr double significant_share_of_run = 0.01;
/// Imbalance is worth a note from this maximum / mean of the work.
constexpr double significant_imbalance = 1.25;

double share_of_run(double seconds, const TimingFile& run) {
  return run.total_seconds.value_or(0) > 0 ? seconds / *run.total_seconds : 1;
}

bool waits_significantly(const ComponentTiming& timing, const TimingFile& run) {
  if (!timing.work) return false;
  const WorkTiming& work = *timing.work;
  const double longest_s = std::max(work.waiting_seconds, timing.seconds - work.slowest_work_seconds());
  return work.waiting_seconds >=
             significant_share_of_component * (work.work_seconds + work.waiting_seconds) &&
         work.waiting_seconds > 0 && share_of_run(longest_s, run) >= significant_share_of_run;
}

bool is_significantly_imbalanced(const ComponentTiming& timing, const TimingFile& run) {
  return timing.work && timing.work->imbalance >= significant_imbalance &&
         share_of_run(timing.work->slowest_work_seconds() - timing.work->work_seconds, run) >=
             significant_share_of_run;
}

/// The run in which a quantity of a component is largest.
struct Worst {
  double value = 0;
  const ComponentTiming* timing = nullptr;
  const TimingFile* run = nullptr;

  void take(double new_value, const ComponentTiming& new_timing, const TimingFile& new_run) {
    if (timing == nullptr || new_value > value) *this = {new_value, &new_timing, &new_run};
  }
};

const char* unit_in(const TimingFile& run) {
  return run.knows_days() ? "s/day" : run.steps ? "s/step" : "s";
}

Diagnostic note(const char* check, std::string what, const TimingFile& run) {
  return {.severity = Severity::note, .check = check, .what = std::move(what), .file = run.path};
}

Diagnostic waiting_note(const Worst& worst) {
  const ComponentTiming& timing = *worst.timing;
  const WorkTiming& work = *timing.work;
  const double length = run_length(*worst.run);
  return note(
      "waiting",
      fmt::format("{} on {} tasks: {:.3g} of {:.3g} {} are waiting for {}, not work; its cost is {:.3g}",
                  timing.component, timing.tasks, work.waiting_seconds / length,
                  (work.work_seconds + work.waiting_seconds) / length, unit_in(*worst.run),
                  work.waits_for.empty() ? "other components" : work.waits_for,
                  work.slowest_work_seconds() / length),
      *worst.run);
}

Diagnostic imbalance_note(const Worst& worst) {
  const ComponentTiming& timing = *worst.timing;
  const WorkTiming& work = *timing.work;
  const double length = run_length(*worst.run);
  return note(
      "imbalance",
      fmt::format("{} on {} tasks: the slowest rank works {:.3g} x the mean ({:.3g} and {:.3g} {}): "
                  "improve its decomposition, a layout does not help",
                  timing.component, timing.tasks, work.imbalance, work.slowest_work_seconds() / length,
                  work.work_seconds / length, unit_in(*worst.run)),
      *worst.run);
}

}  // namespace

double cost_of(const ComponentTiming& timing, const TimingFile& run, CostUnit unit) {
  const bool is_total = unit == CostUnit::total_seconds;
  if (!waits_significantly(timing, run)) return is_total ? timing.seconds : timing.seconds_per_day;
  return timing.work->slowest_work_seconds() / (is_total ? 1 : run_length(run));
}

void note_work(std::span<const TimingFile> runs, std::vector<Diagnostic>& notes) {
  std::map<std::string, Worst> waiting;
  std::map<std::string, Worst> imbalanced;
  for (const TimingFile& run : runs)
    for (const ComponentTiming& timing : run.components) {
      if (waits_significantly(timing, run))
        waiting[timing.component].take(share_of_run(timing.work->waiting_seconds, run), timing, run);
      if (is_significantly_imbalanced(timing, run))
        imbalanced[timing.component].take(timing.work->imbalance, timing, run);
    }
  for (const auto& [component, worst] : waiting) notes.push_back(waiting_note(worst));
  for (const auto& [component, worst] : imbalanced) notes.push_back(imbalance_note(worst));
}

}  // namespace plimsoll::pelayout
