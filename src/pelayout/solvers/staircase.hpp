#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Minimum time as a function of the processor count. It falls at each step and is constant between steps.
struct Staircase {
  std::vector<std::int64_t> at;  ///< first processor count of each step, ascending
  std::vector<double> time;      ///< time of each step, descending

  Staircase() = default;
  /// Creates an empty staircase with memory for so many steps.
  explicit Staircase(std::size_t steps) {
    at.reserve(steps);
    time.reserve(steps);
  }
  bool empty() const { return at.empty(); }
  /// Returns the step for a processor count; empty below the first. O(log steps).
  std::optional<std::size_t> step(std::int64_t processors) const {
    const auto after = std::ranges::upper_bound(at, processors);
    if (after == at.begin()) return std::nullopt;
    return static_cast<std::size_t>(after - at.begin()) - 1;
  }
  /// Returns the processors that are useful of a number of processors, which must be feasible.
  std::int64_t useful(std::int64_t processors) const { return at[*step(processors)]; }
  /// Returns the time on a number of processors, which must be feasible.
  double time_on(std::int64_t processors) const { return time[*step(processors)]; }
  /// Returns the minimum number of processors for at most this time, which must exist. O(log steps).
  std::int64_t processors_within(double limit) const {
    const auto found = std::ranges::lower_bound(time, limit, std::greater());
    PLIMSOLL_ENSURE(found != time.end());
    return at[static_cast<std::size_t>(found - time.begin())];
  }
  /// Adds a step if it reduces the time.
  void add(std::int64_t processors, double its_time) {
    if (!empty() && !(its_time < time.back())) return;
    at.push_back(processors);
    time.push_back(its_time);
  }
};

/// Returns the staircase of a table, made from its entries that cost less than all previous entries.
/// O(entries).
Staircase staircase_of(const CostTable& table);
/// Combines sequential parts on the same processors: times are added. O(steps x parts).
Staircase in_sequence(std::span<const Staircase* const> parts);
/// Combines sequential parts within the processors of the component of `table`; `others` run before and after
/// it. O(entries + steps x parts).
Staircase in_sequence_within(const CostTable& table, std::span<const Staircase* const> others);
/// Combines concurrent parts within `total` processors; the slowest part determines the time. Only a step of
/// the slowest part can reduce the time, so visiting all steps once finds the minimum number of processors
/// for each time. O(steps x parts).
Staircase side_by_side(std::span<const Staircase* const> parts, std::int64_t total);

}  // namespace plimsoll::pelayout
