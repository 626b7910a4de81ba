#include "balance/strategies/distributed_orb_lb/group_content.hpp"

#include <algorithm>
#include <functional>

namespace plimsoll::PLIMSOLL_ABI::balance {

void merge_content(GroupContent& into, const GroupContent& from) {
  into.load += from.load;
  into.n_objects += from.n_objects;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    into.low[axis] = std::min(into.low[axis], from.low[axis]);
    into.high[axis] = std::max(into.high[axis], from.high[axis]);
  }
  for (std::size_t half = 0; half < 2; ++half) {
    into.capacity[half] += from.capacity[half];
    into.n_from[half] += from.n_from[half];
    for (std::size_t axis = 0; axis < 3; ++axis)
      into.coordinates_from[half][axis] += from.coordinates_from[half][axis];
  }
}

std::array<std::size_t, 3> axes_by_length(const GroupContent& content) {
  std::array<std::size_t, 3> axes = {0, 1, 2};
  std::ranges::stable_sort(axes, std::greater<>(),
                           [&](std::size_t axis) { return content.high[axis] / 2 - content.low[axis] / 2; });
  return axes;
}

bool upper_ranks_are_below(const GroupContent& content) {
  const std::size_t axis = axes_by_length(content)[0];
  if (content.n_from[0] == 0 || content.n_from[1] == 0) return false;
  return content.coordinates_from[0][axis] / content.n_from[0] >
         content.coordinates_from[1][axis] / content.n_from[1];
}

}  // namespace plimsoll::balance
