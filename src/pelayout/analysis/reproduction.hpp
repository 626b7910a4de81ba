#pragma once

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the total time that a run was expected to take with its placement, from the models and the other
/// runs. If other runs had the same placement, it is the median of their times. The arrangement of the run
/// follows from its own times, see arrangement_in_run(). Without a model of a component that took time, the
/// component is missing from the time. O(runs x components^3).
ExpectedTime expected_time_of_run(const Planner& planner, const TimingFile& run,
                                  std::span<const TimingFile> others);

/// Returns the tasks of a run or, if totals count processors, its processors: the number in its file, or as
/// many as its largest component uses.
std::int64_t size_of(const Planner& planner, const TimingFile& run);

/// Returns whether the components that took time in two runs have the same ranks and threads.
bool have_same_placement(const TimingFile& one, const TimingFile& other);

/// Time of runs with the same placement: the median, and the range that contains another run with a
/// probability of 90 %.
struct RepeatedTime {
  double time = 0;
  TimeRange range;
};

/// Combines the times of runs with the same placement, at least one. With several runs, the range contains
/// all of them; a single run may differ from another by difference_of_repeats.
RepeatedTime repeated_time(std::vector<double> times);

}  // namespace plimsoll::pelayout
