#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the sum over all ranks of values >= 0 of any size; `values` contains those of the local ranks.
/// They are scaled first, because RankRounds::sum() adds fixed-point numbers. Collective.
inline double scaled_sum(RankRounds& rounds, std::span<const double> values) {
  const double largest = rounds.maximum(values);
  if (largest <= 0) return 0;
  const int exponent = std::ilogb(largest);
  std::vector<double> scaled(values.size());
  std::ranges::transform(values, scaled.begin(), [&](double value) { return std::scalbn(value, -exponent); });
  return std::scalbn(rounds.sum(scaled), exponent);
}

}  // namespace plimsoll::balance
