#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "balance/search/comm_placement.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Load that a rank has to give to a rank with which its objects communicate.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double load = 0;  ///< in seconds at speed 1, > 0
};

/// Plans how overloaded ranks get rid of their excess through a chain of at most `max_distance` communicating
/// ranks, nearest ranks first. Excess for which no rank within that distance has room remains. Returns the
/// transfers in ascending order of their ranks; opposite ones are cancelled. Cost: O(objects + edges + e log
/// e) for e off-rank edges, plus that of visiting the nearest 1,000 ranks of each overloaded rank for each
/// distance.
std::vector<Transfer> plan_transfers(const CommPlacement& placement, std::size_t max_distance);

}  // namespace plimsoll::balance
