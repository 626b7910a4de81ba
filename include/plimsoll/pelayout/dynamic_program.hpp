#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Finds the best assignment exactly, for tables of any shape. The minimum time of each part of the
/// expression is a descending staircase over its processors. The staircases of sequential parts are added,
/// and the staircases of concurrent parts are merged. Once built, the program solves for every total up to
/// the problem's total. Complexity: O(entries of the tables x depth) in time and memory. With exact_sum,
/// which does not allow idle processors, each concurrent part takes O(units^2 / 64); a unit is the GCD of all
/// counts.
class DynamicProgram {
 public:
  /// Throws Error (bad_input) with exact_sum and more than 100,000 units of processors. The limit is lower
  /// for more than 16 components. A block size reduces the number of units.
  explicit DynamicProgram(LayoutProblem problem);
  DynamicProgram(DynamicProgram&&) noexcept;
  DynamicProgram& operator=(DynamicProgram&&) noexcept;
  ~DynamicProgram();

  const LayoutProblem& problem() const;
  /// Returns the minimum time on up to `total` processors (on exactly `total` with exact_sum); empty if
  /// infeasible. Cost: O(log entries).
  std::optional<double> time(std::int64_t total) const;
  /// Returns the best assignment. If infeasible, throws Error (bad_input) with the responsible constraint and
  /// the nearest feasible totals.
  Solution solve(std::int64_t total) const;
  Solution solve() const { return solve(problem().total); }

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::pelayout
