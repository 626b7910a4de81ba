#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The least time of something within any number of processors: it falls at each step, and is constant
/// between.
struct Staircase {
  std::vector<std::int64_t> at;  ///< processors from which on each step holds, ascending
  std::vector<double> time;      ///< descending

  bool empty() const { return at.empty(); }
  /// The step that holds for so many processors; nothing below the first. O(log steps).
  std::optional<std::size_t> step(std::int64_t processors) const;
  /// The first step with at most this time. There must be one. O(log steps).
  std::size_t first_within(double limit) const;
  void add(std::int64_t processors, double its_time) {
    at.push_back(processors);
    time.push_back(its_time);
  }
};

/// The staircase of a table: its entries that cost less than all before. O(entries).
Staircase staircase_of(const CostTable& table);

/// One after another on the same processors: times add up. O(steps x parts).
Staircase in_sequence(std::span<const Staircase* const> parts);

/// One after another, all within the processors of the component of `table`, which `others` run before and
/// after. O(entries + steps x parts).
Staircase in_sequence_within(const CostTable& table, std::span<const Staircase* const> others);

/// Side by side within `total` processors: the slowest counts. Whoever is slowest must step down next, so one
/// walk over all steps finds the least processors for each time. O(steps x parts).
Staircase side_by_side(std::span<const Staircase* const> parts, std::int64_t total);

}  // namespace plimsoll::pelayout
