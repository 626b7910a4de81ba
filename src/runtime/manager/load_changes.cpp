#include "runtime/manager/load_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr double change = 1.15;
constexpr std::size_t sample_size = 1000;
constexpr std::size_t fewest_objects = 8;

}  // namespace

std::optional<bool> many_loads_changed(const lbdata::Tasks& now, const lbdata::Tasks& before) {
  if (now.entity != before.entity) return {};
  std::vector<double> ratios;
  const std::size_t stride = now.size() / sample_size + 1;
  for (std::size_t task = 0; task < now.size(); task += stride)
    if (now.time_s[task] > 0 && before.time_s[task] > 0)
      ratios.push_back(now.time_s[task] / before.time_s[task]);
  if (ratios.size() < fewest_objects) return {};

  const auto quarter = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 4);
  std::ranges::nth_element(ratios, quarter);
  if (*quarter <= 1 / change) return true;
  std::ranges::nth_element(ratios, quarter, std::greater<>());
  return *quarter >= change;
}

}  // namespace plimsoll::runtime
