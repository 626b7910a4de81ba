#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

#include "balance/rounds/needed_migrations.hpp"
#include "balance/rounds/rank_objects.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Communication of an object with another end, in both directions.
struct DiffusionEdge {
  std::uint64_t neighbor = 0;  ///< number of the other object; 0 if the other end stays
  double bytes = 0;
  std::int32_t rank = 0;  ///< rank of the other end
  bool stays = false;     ///< whether the other end never moves

  /// Edges of an object are sorted by this.
  std::pair<bool, std::uint64_t> order() const { return {stays, neighbor}; }
};

/// Migratable object with its communication.
struct DiffusionObject {
  std::uint64_t number = 0;               ///< different for all migratable objects of all ranks
  double load = 0;                        ///< load in seconds at speed 1
  ObjectOrigin origin = {};               ///< place before balancing
  std::int32_t last_rank = 0;             ///< rank to which it returns if the current pass is in vain
  std::vector<DiffusionEdge> edges = {};  ///< sorted: those to ends that stay come last
};

using DiffusionRank = RankObjects<DiffusionObject>;

/// Settings of the diffusion.
struct DiffusionOptions {
  std::size_t max_neighbors = 16;  ///< maximum number of ranks that a rank proposes to exchange objects with
  std::int32_t passes = 4;         ///< maximum number of times that flows are computed and realised
  double target = 1.05;            ///< sufficient maximum finish time, relative to the average
  double migration_cost = 0.3;     ///< cost of a migration, relative to the mean communication of an object
};

/// Lets load flow between ranks that communicate, until the last rank finishes within the target. `ranks`
/// contains the local ranks of the executor. Collective. Memory of a rank depends on its objects and its
/// neighbours, not on the number of ranks. The number of rounds grows like the distance between ranks with
/// much and with little load.
///
/// Each pass computes the smallest flows between neighbouring ranks that balance all, and realises them by
/// migrating objects, which prefer ranks with which they communicate. At the end, objects migrate to where
/// their communication is, as far as the target permits. Source: Y. Hu, R. Blake, "An improved diffusion
/// algorithm for dynamic load balancing", Parallel Computing 25 (1999).
void balance_by_diffusion(RankRounds& rounds, const DiffusionOptions& options,
                          std::span<DiffusionRank> ranks);

}  // namespace plimsoll::balance
