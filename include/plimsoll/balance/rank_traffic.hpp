#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Traffic that each rank sends to, and receives from, other ranks.
struct RankTraffic {
  explicit RankTraffic(std::size_t n_ranks)
      : sent_bytes(n_ranks), received_bytes(n_ranks), sent_messages(n_ranks), received_messages(n_ranks) {}

  std::vector<double> sent_bytes;
  std::vector<double> received_bytes;
  std::vector<std::int64_t> sent_messages;
  std::vector<std::int64_t> received_messages;

  /// Adds an edge; edges within one rank are ignored.
  void add(std::uint32_t from, std::uint32_t to, double bytes, std::int64_t messages);
  /// Returns the total bytes sent between ranks.
  double off_rank_bytes() const;
  std::int64_t off_rank_messages() const;
};

/// Computes the traffic of the edges of comm_data for objects at `placement`. Edges within one rank are
/// ignored. `counts` selects edges by index; empty selects all. Cost: O(edges). Throws Error (usage) for a
/// placement of another length.
RankTraffic rank_traffic(const LDStats& stats, std::span<const std::int32_t> placement,
                         const std::function<bool(std::size_t)>& counts = {});

/// Traffic of a recorded placement.
struct RecordedTraffic {
  RankTraffic traffic;
  std::int64_t n_edges = 0;  ///< number of recorded edges, including edges with unknown ends
};

/// Computes the traffic of a phase as recorded. The result is the same as that of rank_traffic() for the
/// LDStats of the phase, which need not be loaded. Cost: expected O(tasks + edges); about 20 bytes of memory
/// per task. Throws like load_phase() for missing phases and invalid edges.
RecordedTraffic recorded_traffic(const lbdata::Dataset& dataset, std::int64_t phase);

}  // namespace plimsoll::balance
