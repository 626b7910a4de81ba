#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// What a rank has heard about an underloaded rank.
struct KnownRank {
  std::int32_t rank = 0;
  float finish = 0;  ///< time at which it finished its work when it sent this
  float speed = 1;
};

/// Adds the ranks in messages of KnownRank that are not known yet to `known`, up to `limit` ranks; of several
/// reports about a rank, the first one is kept. Returns whether any rank was added. O(known + items of the
/// messages).
bool learn(std::vector<KnownRank>& known, Inbox messages, std::size_t limit);

}  // namespace plimsoll::balance
