#include "pelayout/solvers/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace plimsoll::pelayout {

namespace {
constexpr double never = std::numeric_limits<double>::infinity();
}

std::int64_t common_unit(std::span<const CostTable> tables) {
  std::int64_t unit = 0;
  for (const CostTable& table : tables)
    for (const std::int64_t processors : table.processors) {
      unit = std::gcd(unit, processors);
      if (unit == 1) return unit;
    }
  return std::max<std::int64_t>(unit, 1);
}

ExactTimes exact_times(const CostTable& table, std::int64_t unit, std::int64_t units) {
  ExactTimes times(static_cast<std::size_t>(units) + 1, never);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::int64_t at = table.processors[k] / unit;
    if (at > units) break;
    times[static_cast<std::size_t>(at)] = std::min(times[static_cast<std::size_t>(at)], table.cost[k]);
  }
  return times;
}

ExactTimes add_beside(const ExactTimes& first, const ExactTimes& second) {
  ExactTimes sum(first.size(), never);
  for (std::size_t p = 0; p < first.size(); ++p) {
    if (!std::isfinite(first[p])) continue;
    const double time = first[p];
    double* const out = sum.data() + p;
    for (std::size_t q = 0; q + p < first.size(); ++q) out[q] = std::min(out[q], std::max(time, second[q]));
  }
  return sum;
}

ExactTimes add_after(const ExactTimes& first, const ExactTimes& second) {
  ExactTimes sum(first.size());
  std::ranges::transform(first, second, sum.begin(), std::plus());
  return sum;
}

}  // namespace plimsoll::pelayout
