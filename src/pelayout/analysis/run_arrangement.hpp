#pragma once

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the total time of a run in a unit; empty if unknown or 0.
std::optional<double> total_time(const TimingFile& run, CostUnit unit);

/// Returns the names of the components that took time in a run, in the order of its file.
std::vector<std::string> active_components(const TimingFile& run);

/// Returns the rank after the last rank of a component, as a double because files may contain any numbers.
double end_rank(const ComponentTiming& timing);

/// Returns the number of processors up to the last one of some components of a run, or of its ranks unless
/// threads are counted. It is limited: files with larger numbers are wrong, and models do not change beyond
/// this limit.
std::int64_t end_of(std::span<const ComponentTiming> components, bool counts_threads);

/// Returns the number of ranks that two components share. Components with the same stride may interleave.
/// Otherwise, the number is an estimate from their ranges.
double shared_ranks(const ComponentTiming& one, const ComponentTiming& other);

/// Returns the time that the measured times of a run's components add up to in an arrangement.
double critical_path(const LayoutExpression& arrangement, const TimingFile& run, CostUnit unit);

/// Returns which of the components ran in sequence in a run, and which concurrently. Components that share
/// all ranks of one of them ran in sequence. Ranks alone do not decide two questions, which the total time of
/// the run answers: whether components that share only some ranks ran in sequence, and whether components on
/// separate ranks waited for each other, because the driver lets one depend on the other. The answers are
/// those with which the measured times of the components come nearest to the total. Without a total, or if
/// two answers are equally near, both ran in sequence. OASIS runs all components concurrently. The run must
/// contain the components, at least one.
/// O(components^3).
LayoutExpression arrangement_in_run(const TimingFile& run, const std::vector<std::string>& components);

}  // namespace plimsoll::pelayout
