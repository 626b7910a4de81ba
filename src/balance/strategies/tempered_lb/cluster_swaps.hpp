#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "balance/strategies/tempered_lb/rank_view.hpp"
#include "balance/strategies/tempered_lb/work_rank.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// What two ranks minimise together: in this order.
struct PairScore {
  std::int64_t n_misplaced = 0;  ///< objects on unavailable ranks
  double memory_excess = 0;      ///< memory above the limit, in bytes
  double higher_work = 0;        ///< work of the rank that has more
  double lower_work = 0;
  double traffic = 0;  ///< cost of all messages that the two ranks send to, or receive from, others
  /// Returns whether this score is less than another one by more than rounding errors.
  bool is_better_than(const PairScore& other) const;
};

/// Clusters that two ranks give each other, as their parts of the RankViews.
struct ClusterSwap {
  std::vector<std::int32_t> given;  ///< parts of the first rank
  std::vector<std::int32_t> taken;  ///< parts of the second rank
  PairScore before;
  PairScore after;
};

/// Returns the clusters that two ranks swap so that their score decreases. Neither rank exceeds its allowed
/// memory afterwards, or the memory that it used before.
///
/// Each step tries every cluster of one rank, alone or with every cluster of the other rank, and performs the
/// best of these changes, until none improves the score. Work and memory are computed exactly: messages
/// between the ranks, and blocks that several clusters use, count once. If all other ranks stay as they are,
/// their work does not change, except for messages within nodes (WorkCoefficients::beta_node). O(steps parts
/// of the first rank * parts of the second one).
ClusterSwap find_swap(const RankView& first, const RankView& second, const WorkRules& rules);

}  // namespace plimsoll::balance
