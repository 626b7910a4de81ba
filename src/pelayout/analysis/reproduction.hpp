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

/// Returns whether the total of a run is too short for the times of its components, even if these include
/// waits for each other: one of them is wrong.
bool is_shorter_than_components(const TimingFile& run, CostUnit unit);

/// Returns whether the components that took time in two runs have the same ranks and threads or, if ranks are
/// unknown, the same task counts and threads.
bool have_same_placement(const TimingFile& one, const TimingFile& other);

}  // namespace plimsoll::pelayout
