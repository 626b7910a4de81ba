#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Communication of an object with another one, in both directions.
struct DiffusionEdge {
  std::uint64_t neighbor = 0;  ///< number of the other object
  double bytes = 0;
  std::int32_t rank = 0;  ///< rank of the other object
};

/// Migratable object with its communication.
struct DiffusionObject {
  std::uint64_t number = 0;          ///< different for all migratable objects of all ranks
  double load = 0;                   ///< load in seconds at speed 1
  std::int32_t origin = 0;           ///< rank before balancing
  std::uint32_t index = 0;           ///< index in the data of the caller
  std::vector<DiffusionEdge> edges;  ///< sorted by neighbour
};

/// A rank with its migratable objects.
struct DiffusionRank {
  std::vector<DiffusionObject> objects;
  double overhead = 0;  ///< time that does not depend on the objects
  double speed = 1;
  bool available = true;   ///< whether it may have objects
  std::int32_t node = -1;  ///< ranks with the same number share a node; negative: a node of its own
};

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
