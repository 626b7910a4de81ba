#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// Traffic that each rank sends to, and receives from, other ranks.
struct RankTraffic {
  std::vector<double> sent_bytes;
  std::vector<double> received_bytes;
  std::vector<std::int64_t> sent_messages;
  std::vector<std::int64_t> received_messages;

  /// Returns the total bytes sent between ranks.
  double off_rank_bytes() const;
  std::int64_t off_rank_messages() const;
};

/// Computes the traffic of the edges of comm_data for objects at `placement`. Edges within one rank are
/// ignored. `counts` selects edges by index; empty selects all. Cost: O(edges). Throws Error (usage) for a
/// placement of another length.
RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement,
                         const std::function<bool(std::size_t)>& counts = {});

}  // namespace plimsoll::balance
