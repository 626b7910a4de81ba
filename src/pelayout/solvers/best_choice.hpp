#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Finds the minimum time of a layout expression for every total up to the problem's, and the table entries
/// that reach it. The problem must outlive this object.
class Choice {
 public:
  virtual ~Choice() = default;
  /// Returns the time without the layout's overhead and wait; empty if infeasible.
  virtual std::optional<double> time(std::int64_t total) const = 0;
  /// Returns an entry for each table. The total must be feasible.
  virtual std::vector<std::size_t> choose(std::int64_t total) const = 0;
};

/// Returns the index of the table of a component, which must exist.
std::size_t table_of(const LayoutProblem& problem, const std::string& component);

/// Returns the entry of a table with this processor count, which must exist.
std::size_t entry_of(const CostTable& table, std::int64_t processors);

/// Makes the choice for a problem that allows idle processors, from staircases.
std::unique_ptr<Choice> make_staircase_choice(const LayoutProblem& problem);
/// Makes the choice for exact sums. Throws Error (bad_input) for too many units of processors.
std::unique_ptr<Choice> make_exact_choice(const LayoutProblem& problem);
/// Makes the choice for a problem with two kinds of nodes; the only total is the problem's. Throws Error
/// (bad_input) if the kinds have too many nodes.
std::unique_ptr<Choice> make_partitioned_choice(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
