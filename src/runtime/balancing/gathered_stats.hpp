#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Packs the columns of one rank that a strategy needs, for GatheredStats::add_rank(). Throws Error (usage)
/// if a column is missing or has the wrong length, for a load or size that is negative or not finite, and for
/// a coordinate that is not finite.
std::vector<std::byte> pack(const RankStats& stats, const balance::StrategyNeeds& needs);

/// The balance::LDStats of all ranks, built from their messages. Processor r is rank r. Objects are sorted by
/// rank, and on each rank they keep their order.
class GatheredStats {
 public:
  explicit GatheredStats(const balance::StrategyNeeds& needs) : needs_(needs) {}

  /// Reserves memory. Throws Error (usage) for more objects than LDStats can have.
  void reserve(std::int64_t objects, int ranks);
  /// Adds the next rank: call it in rank order. Throws Error (bad_input) for a message that pack() did not
  /// make, and Error (usage) for positions with different numbers of axes.
  void add_rank(std::span<const std::byte> message);
  /// Returns the complete stats, and resolves the ends of edges. Edges to an object that no rank has are
  /// dropped.
  balance::LDStats& complete();

  /// Returns the objects of a rank that are to leave it.
  std::vector<LeavingObject> leaving(int rank) const;

 private:
  void set_axes(std::uint32_t axes_of_rank);
  void number_blocks(const std::vector<RankBlock>& of_rank);
  void resolve_edges();

  balance::StrategyNeeds needs_;
  balance::LDStats stats_;
  std::vector<std::size_t> first_object_;  // first object of each rank, and the number of objects at the end
  struct Edges {
    std::size_t rank;
    std::vector<RankEdge> edges;
  };
  std::vector<Edges> edges_;
  std::map<std::uint64_t, std::int32_t> node_of_host_;                            // by RankStats::host
  std::map<std::pair<std::int32_t, std::int64_t>, std::uint32_t> block_numbers_;  // by home and ID
};

}  // namespace plimsoll::runtime
