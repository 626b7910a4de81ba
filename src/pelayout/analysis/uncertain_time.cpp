#include <algorithm>
#include <cmath>
#include <numbers>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Number of standard deviations around the mean that contain 90 % of a normal distribution.
constexpr double deviations_for_90_percent = 1.6448536269514722;

}  // namespace

UncertainTime UncertainTime::within(double mean, double error) {
  const double deviation = error / deviations_for_90_percent;
  return {mean, deviation * deviation};
}

TimeRange UncertainTime::range() const {
  const double error = deviations_for_90_percent * std::sqrt(variance);
  return {std::max(0.0, mean - error), mean + error};
}

UncertainTime maximum(const UncertainTime& one, const UncertainTime& other) {
  const double deviation = std::sqrt(one.variance + other.variance);
  if (deviation == 0) return {std::max(one.mean, other.mean), 0};
  const double gap = one.mean - other.mean;
  const double distance = gap / deviation;
  const double share = std::erfc(-distance / std::numbers::sqrt2) / 2;  // how often `one` is the longer one
  const double density =
      std::exp(-distance * distance / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2 * deviation;
  const double variance = one.variance * share + other.variance * (1 - share) +
                          gap * gap * share * (1 - share) + gap * density * (1 - 2 * share) -
                          density * density;
  return {other.mean + gap * share + density, std::max(0.0, variance)};
}

}  // namespace plimsoll::pelayout
