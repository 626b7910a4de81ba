#include <fmt/format.h>

#include <algorithm>
#include <string>

#include <plimsoll/balance/budget.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

MoveBudget MoveBudget::parse(std::string_view text) {
  MoveBudget budget;
  std::string_view number = support::trimmed(text);
  if (number == "all") return budget;
  if (number.ends_with('%')) {
    number.remove_suffix(1);
    const auto percent = support::parse_number<double>(support::trimmed(number));
    if (percent && *percent >= 0 && *percent <= 100) {
      budget.share_ = *percent / 100;
      return budget;
    }
  } else if (const auto moves = support::parse_number<std::int64_t>(number); moves && *moves >= 0) {
    budget.moves_ = *moves;
    return budget;
  }
  throw support::usage_error(
      fmt::format("invalid budget {}: expected a number of objects >= 0, a share from 0% to 100%, or all",
                  support::in_quotes(std::string(text))),
      "use a list such as 0.1%,1%,1000,all");
}

std::vector<MoveBudget> MoveBudget::parse_list(std::string_view text) {
  std::vector<MoveBudget> budgets;
  for (const std::string_view part : support::split(text, ',')) budgets.push_back(parse(part));
  return budgets;
}

std::int64_t MoveBudget::moves(std::int64_t n_objects) const {
  // 0.29 * 100 is below 29: rounding errors must not cost an object.
  constexpr double rounding = 1e-9;
  return share_ < 0 ? moves_ : static_cast<std::int64_t>(share_ * static_cast<double>(n_objects) + rounding);
}

std::vector<StrategySpec> with_budgets(std::span<const StrategySpec> strategies,
                                       std::span<const MoveBudget> budgets, std::int64_t n_objects) {
  std::vector<StrategySpec> result;
  for (const StrategySpec& strategy : strategies) {
    if (std::ranges::any_of(strategy.parameters,
                            [](const auto& parameter) { return parameter.first == "max_moves"; }))
      throw support::usage_error(fmt::format("{} has max_moves in addition to budgets", to_string(strategy)),
                                 "remove one of them");
    for (const MoveBudget& budget : budgets) {
      result.push_back(strategy);
      if (!budget.is_unlimited())
        result.back().parameters.emplace_back("max_moves", fmt::format("{}", budget.moves(n_objects)));
    }
  }
  return result;
}

}  // namespace plimsoll::balance
