#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The least time of a layout expression for every total up to the problem's, and the entries of its tables
/// with which it is reached. The problem must outlive it.
class Choice {
 public:
  virtual ~Choice() = default;
  /// Without overhead and wait of the layout; nothing if there is no way.
  virtual std::optional<double> time(std::int64_t total) const = 0;
  /// An entry for each table. There must be a way.
  virtual std::vector<std::size_t> choose(std::int64_t total) const = 0;
};

/// Parts may leave processors idle.
std::unique_ptr<Choice> make_staircase_choice(const LayoutProblem& problem);
/// Parts fill their processors. Throws Error (bad_input) for too many units of processors.
std::unique_ptr<Choice> make_exact_choice(const LayoutProblem& problem);

/// The entry of a table with so many processors. There must be one.
std::size_t entry_of(const CostTable& table, std::int64_t processors);

}  // namespace plimsoll::pelayout
