#pragma once

#include <algorithm>
#include <cmath>
#include <compare>

#include <plimsoll/balance/score.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Compares two values; differences within rounding errors do not count.
inline std::weak_ordering compare_rounded(double left, double right, double scale) {
  if (std::abs(left - right) <= rounding_error * scale) return std::weak_ordering::equivalent;
  return left < right ? std::weak_ordering::less : std::weak_ordering::greater;
}

/// Compares two scores; differences within rounding errors do not count. `first` is a share of the average,
/// or a sum of bytes, so that its rounding errors are relative to 1 or more.
inline std::weak_ordering compare_scores(const Score& left, const Score& right) {
  const auto first = compare_rounded(left.first, right.first, std::max({1.0, left.first, right.first}));
  if (first != std::weak_ordering::equivalent) return first;
  return compare_rounded(left.second, right.second, std::max(left.second, right.second));
}

inline bool is_better(const Score& left, const Score& right) {
  return compare_scores(left, right) == std::weak_ordering::less;
}

}  // namespace plimsoll::balance
