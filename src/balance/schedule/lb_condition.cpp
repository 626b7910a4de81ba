#include <cmath>

#include <plimsoll/balance/lb_condition.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

std::optional<LbCondition> LbCondition::parse(std::string_view text) {
  if (text == "pays") return LbCondition{Kind::pays};
  if (text == "always") return LbCondition{Kind::always};
  const auto imbalance = support::parse_number<double>(text);
  if (!imbalance || !std::isfinite(*imbalance) || *imbalance < 0) return std::nullopt;
  return LbCondition{Kind::threshold, *imbalance};
}

}  // namespace plimsoll::balance
