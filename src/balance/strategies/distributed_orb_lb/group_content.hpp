#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// What a group of ranks contains.
struct GroupContent {
  static constexpr double most = std::numeric_limits<double>::infinity();  ///< beyond any coordinate

  // Corners of the box around all objects.
  std::array<double, 3> low = {most, most, most};
  std::array<double, 3> high = {-most, -most, -most};
  double load = 0;
  double n_objects = 0;
  std::array<double, 2> capacity = {};  ///< of the lower and the upper half of the ranks
  std::array<double, 2> n_from = {};    ///< objects that were in a half before balancing
  std::array<std::array<double, 3>, 2> coordinates_from = {};  ///< sums of the coordinates of these objects
};

/// Adds the content of other ranks of the group.
void merge_content(GroupContent& into, const GroupContent& from);

/// Returns the axes, with the longest side of the box around the objects first.
std::array<std::size_t, 3> axes_by_length(const GroupContent& content);

/// Returns whether the objects of the upper half of the ranks had lower coordinates before.
bool upper_ranks_are_below(const GroupContent& content);

}  // namespace plimsoll::balance
