#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// What each rank sends to, and receives from, other ranks.
struct RankTraffic {
  std::vector<double> sent_bytes;
  std::vector<double> received_bytes;
  std::vector<std::int64_t> sent_messages;
  std::vector<std::int64_t> received_messages;

  /// What leaves its rank, in all.
  double off_rank_bytes() const;
  std::int64_t off_rank_messages() const;
};

/// Traffic of the edges of comm_data if objects are at `placement`; edges within a rank don't count. `counts`
/// says which edges do, by index; all if empty. O(edges). Throws Error (usage) for a placement of another
/// length.
RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement,
                         const std::function<bool(std::size_t)>& counts = {});

}  // namespace plimsoll::balance
