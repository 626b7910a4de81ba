#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/strategies/diffusion_lb/diffusion.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Link of a rank to another one, with which it may exchange objects.
struct RankLink {
  std::int32_t rank = 0;
  double weight = 0;       ///< how readily load flows along the link, > 0; equal on both ranks
  double flow = 0;         ///< load to send along the link; negative: to receive
  bool is_outlet = false;  ///< whether load was to flow from this rank at first
};

/// Returns the links of each local rank, sorted by rank. Ranks propose links to those with which they
/// communicate most. Further links, along which load hardly flows if others exist, connect each rank to its
/// successor, so that all ranks are connected, and ranks without communication to ranks at distances of
/// powers of two. Collective.
std::vector<std::vector<RankLink>> link_ranks(RankRounds& rounds, std::size_t max_neighbors,
                                              std::span<const DiffusionRank> ranks);

}  // namespace plimsoll::balance
