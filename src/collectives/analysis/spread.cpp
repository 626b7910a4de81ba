#include <algorithm>

#include <plimsoll/collectives/summary.hpp>

#include "collectives/analysis/saturate.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

void Spread::add(std::uint64_t number, std::uint64_t times) {
  add(Spread{.values = 1, .min = number, .max = number, .sum = number}, times);
}

void Spread::add(const Spread& others, std::uint64_t times) {
  if (others.values == 0 || times == 0) return;
  min = values == 0 ? others.min : std::min(min, others.min);
  max = std::max(max, others.max);
  sum = collectives::add(sum, multiply(others.sum, times));
  values = collectives::add(values, multiply(others.values, times));
}

void SpreadWithZeros::add(std::uint64_t number, std::uint64_t times) {
  all.add(number, times);
  if (number != 0) nonzero.add(number, times);
}

}  // namespace plimsoll::collectives
