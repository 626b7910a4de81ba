#include "pelayout/analysis/repeats.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Typical standard deviation of the logarithms of total times with the same placement, pooled over the
/// repeated runs of five cases of CESM3 and NorESM3. In four of the cases, times differ by 1 to 3 %, in one
/// by 17 %. The likelihood of these differences is at its maximum for 0.015; for 0.02, it is 85 % of that. So
/// few cases do not tell them apart, and the larger one errs on the safe side.
constexpr double typical_deviation = 0.02;

/// Degrees of freedom of typical_deviation: the five cases are so different that it is worth one more run.
/// The likelihood is at its maximum for 1.3.
constexpr std::size_t typical_degrees_of_freedom = 1;

/// Returns the difference of logarithms that another run does not exceed, in addition to `n_runs` runs whose
/// squared deviations have this sum.
double difference(std::size_t n_runs, double squared_deviations) {
  const std::size_t degrees_of_freedom = typical_degrees_of_freedom + n_runs - 1;
  const double typical =
      static_cast<double>(typical_degrees_of_freedom) * typical_deviation * typical_deviation;
  const double variance = (typical + squared_deviations) / static_cast<double>(degrees_of_freedom);
  return students_t(degrees_of_freedom) * std::sqrt(variance * (1 + 1 / static_cast<double>(n_runs)));
}

double squared_deviations_of_logarithms(const std::vector<double>& times) {
  const auto number = static_cast<double>(times.size());
  double mean = 0;
  for (const double time : times) mean += std::log(time) / number;
  double sum = 0;
  for (const double time : times) sum += (std::log(time) - mean) * (std::log(time) - mean);
  return sum;
}

}  // namespace

double students_t(std::size_t degrees_of_freedom) {
  PLIMSOLL_EXPECT(degrees_of_freedom >= 1);
  constexpr std::array exact = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943};
  if (degrees_of_freedom <= exact.size()) return exact[degrees_of_freedom - 1];
  // Expansion by Peiser (1943) around the normal distribution, Abramowitz and Stegun 26.7.5.
  constexpr double z = 1.6448536269514722;
  const auto n = static_cast<double>(degrees_of_freedom);
  return z + (std::pow(z, 3) + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

TimeRange factors_of_repeats() {
  const double one = difference(1, 0);
  return {std::exp(-one), std::exp(one)};
}

RepeatedTime repeated_time(std::vector<double> times) {
  const double one = difference(times.size(), squared_deviations_of_logarithms(times));
  const double time = median(std::move(times));
  return {time, {time * std::exp(-one), time * std::exp(one)}};
}

}  // namespace plimsoll::pelayout
