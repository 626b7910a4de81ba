#pragma once

#include <cstdint>
#include <vector>

#include "balance/strategies/diffusion_lb/local_objects.hpp"
#include "balance/strategies/diffusion_lb/rank_links.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Conditions for objects to leave a rank.
struct DepartureRules {
  double surplus = 0;         ///< load that is to leave along all links together
  double migration_cost = 0;  ///< communication in bytes that an object saves on its original rank
  bool within_flows = false;  ///< whether the flows are limits; half an object may exceed them otherwise
  bool must_save = false;     ///< whether only objects leave that save communication by it
};

/// Returns the new rank of each object of a rank: the own one, or that of a link along which load is to flow.
/// Reduces the flows by the loads of the objects. Those objects leave first that save most communication,
/// relative to their loads. O(links objects edges), with the edges of one object.
std::vector<std::int32_t> choose_departures(const LocalObjects& objects, const DepartureRules& rules,
                                            std::vector<RankLink>& links);

}  // namespace plimsoll::balance
