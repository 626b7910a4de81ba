#include "pelayout/solvers/exact_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "pelayout/solvers/unit_set.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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

ExactTimes add_concurrent(const ExactTimes& first, const ExactTimes& second) {
  struct Way {
    double time;
    std::size_t units;
    bool of_first;
  };
  std::vector<Way> ways;
  for (std::size_t units = 0; units < first.size(); ++units) {
    if (std::isfinite(first[units])) ways.push_back({first[units], units, true});
    if (std::isfinite(second[units])) ways.push_back({second[units], units, false});
  }
  std::ranges::stable_sort(ways, {}, &Way::time);
  // Process entries in the order of their times. A sum takes as long as the slower of its two entries, so it
  // is found when that entry is processed.
  ExactTimes sum(first.size(), never);
  UnitSet made(first.size() - 1), from_first(first.size() - 1), from_second(first.size() - 1);
  for (const Way& way : ways) {
    (way.of_first ? from_first : from_second).insert(way.units);
    made.insert_sums(way.of_first ? from_second : from_first, way.units,
                     [&](std::size_t units) { sum[units] = way.time; });
  }
  return sum;
}

ExactTimes add_sequential(const ExactTimes& first, const ExactTimes& second) {
  ExactTimes sum(first.size());
  std::ranges::transform(first, second, sum.begin(), std::plus());
  return sum;
}

}  // namespace plimsoll::pelayout
