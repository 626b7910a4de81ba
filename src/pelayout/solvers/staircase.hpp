#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Minimum time as a function of the processor count. It falls at each step and is constant between steps.
struct Staircase {
  std::vector<std::int64_t> at;  ///< first processor count of each step, ascending
  std::vector<double> time;      ///< time of each step, descending

  bool empty() const { return at.empty(); }
  /// Returns the step for a processor count; empty below the first. O(log steps).
  std::optional<std::size_t> step(std::int64_t processors) const;
  /// Returns the first step with at most this time, which must exist. O(log steps).
  std::size_t first_within(double limit) const;
  void add(std::int64_t processors, double its_time) {
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
