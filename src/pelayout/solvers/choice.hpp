#pragma once

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Formats a count for messages.
inline std::string count_text(std::int64_t count) {
  return support::format_count(static_cast<std::uint64_t>(count));
}

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

/// Creates a solver for parts that must use their processors exactly. Throws Error (bad_input) for too many
/// units of processors.
std::unique_ptr<Choice> make_exact_choice(const LayoutProblem& problem);

/// Returns the entry of a table with this processor count, which must exist.
std::size_t entry_of(const CostTable& table, std::int64_t processors);

/// Explains, for error messages of solvers, why a problem has no assignment. Lists the nearest feasible
/// totals.
std::string explain_infeasible(const LayoutProblem& problem);

}  // namespace plimsoll::pelayout
