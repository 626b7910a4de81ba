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
  float finish = 0;  ///< time at which it finished its work when it sent this, relative to the average
  float speed = 1;   ///< relative to the mean speed
};

/// Rank that finishes together with all others.
struct AverageRank {
  double finish = 0;
  double speed = 1;
};

/// Returns the news about a rank. Times and speeds are relative, so that floats can express any of them.
inline KnownRank known_rank(std::int32_t rank, double finish, double speed, const AverageRank& average) {
  return {rank, static_cast<float>(average.finish > 0 ? finish / average.finish : 0),
          static_cast<float>(speed / average.speed)};
}

/// Adds the ranks in messages of KnownRank that are not known yet to `known`, up to `limit` ranks; of several
/// reports about a rank, the first one is kept. Returns whether any rank was added. O(known + items of the
/// messages).
bool learn(std::vector<KnownRank>& known, Inbox messages, std::size_t limit);

}  // namespace plimsoll::balance
