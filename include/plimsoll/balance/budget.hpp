#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Budget for migrations, as users specify it: a number of objects, such as `1000`, a share of them, such as
/// `0.1%`, or `all`.
class MoveBudget {
 public:
  /// Parses a budget. Throws Error (usage) for other texts, negative numbers and shares above 100 %.
  static MoveBudget parse(std::string_view text);
  /// Parses budgets separated by commas.
  static std::vector<MoveBudget> parse_list(std::string_view text);

  bool is_unlimited() const { return moves_ == unlimited && share_ < 0; }
  /// Returns the maximum number of migrations of this many objects; shares are rounded down.
  std::int64_t moves(std::int64_t n_objects) const;

 private:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
  std::int64_t moves_ = unlimited;
  double share_ = -1;  ///< share of the objects; negative: moves_ counts
};

/// Returns each strategy with each budget, as its parameter max_moves, in the order of the strategies. Throws
/// Error (usage) for a strategy that already has this parameter.
std::vector<StrategySpec> with_budgets(std::span<const StrategySpec> strategies,
                                       std::span<const MoveBudget> budgets, std::int64_t n_objects);

}  // namespace plimsoll::balance
