#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Finds the best assignment exactly, for tables of any shape. The least time of each part of the expression
/// is a descending staircase over its processors; in sequence staircases add up, side by side they merge.
/// Once built, it answers for every total up to the problem's.
/// Complexity: O(entries of the tables x depth) in time and memory; with exact_sum O(units^2 / 64) for each
/// part side by side, since processors cannot be left idle; a unit is the common divisor of all counts.
class DynamicProgram {
 public:
  /// Throws Error (bad_input) with exact_sum and more than 100,000 units of processors, fewer with
  /// more than 16 components: use a block size.
  explicit DynamicProgram(LayoutProblem problem);
  DynamicProgram(DynamicProgram&&) noexcept;
  DynamicProgram& operator=(DynamicProgram&&) noexcept;
  ~DynamicProgram();

  const LayoutProblem& problem() const;
  /// The least time within that many processors (exactly on them with exact_sum); nothing if there is no way.
  /// O(log entries).
  std::optional<double> time(std::int64_t total) const;
  /// The best assignment. Throws Error (bad_input) if there is none: which constraint is to blame, and the
  /// nearest totals for which there is one.
  Solution solve(std::int64_t total) const;
  Solution solve() const { return solve(problem().total); }

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::pelayout
