#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Shared block that objects on one rank need once.
struct WorkBlock {
  static constexpr std::int64_t no_home = -1;
  std::int64_t id = 0;          ///< blocks with the same ID and home are the same
  std::int64_t home = no_home;  ///< rank on which the block costs nothing; no_home: not a block
  double bytes = 0;

  bool exists() const { return home != no_home; }
  std::pair<std::int64_t, std::int64_t> key() const { return {home, id}; }
};

/// Communication of an object, or of the non-migratable objects of a rank, with another object.
struct WorkEdge {
  std::uint64_t other = 0;    ///< number of the other object
  std::int32_t origin = 0;    ///< rank of the other object before balancing
  std::int32_t rank = 0;      ///< rank of the other object when places were last updated
  std::int64_t node = -1;     ///< node of that rank
  std::int64_t is_fixed = 0;  ///< whether the other object cannot migrate; its number may then be ambiguous
  double sent = 0;            ///< bytes to the other object
  double received = 0;        ///< bytes from the other object
};

/// Migratable object with all that determines the work and the memory of its rank.
struct WorkObject {
  std::uint64_t number = 0;    ///< unique among the migratable objects of all ranks
  std::int32_t origin = 0;     ///< rank before balancing
  std::uint32_t position = 0;  ///< position among the objects of that rank
  double load = 0;             ///< load in seconds at speed 1
  double footprint_bytes = 0;
  double working_bytes = 0;
  double serialized_bytes = 0;
  WorkBlock block;
  std::vector<WorkEdge> edges;  ///< without edges to itself
};

/// A rank with its migratable objects. Each edge is known to both of its ends.
struct WorkRank {
  std::vector<WorkObject> objects;
  std::int32_t number = 0;
  std::int64_t node = -1;  ///< ranks with the same number share a node; negative: a node of its own
  double overhead = 0;     ///< time that does not depend on the objects
  double speed = 1;
  double alpha = 1;       ///< work per second
  bool available = true;  ///< whether it may have objects
  // Non-migratable objects, and the memory of the rank itself.
  double fixed_bytes = 0;  ///< memory without shared blocks and the parts below
  double fixed_working_bytes = 0;
  double fixed_serialized_bytes = 0;
  std::vector<WorkBlock> fixed_blocks;  ///< one entry per object
  std::vector<WorkEdge> fixed_edges;
};

/// Costs and limits that all ranks have in common.
struct WorkRules {
  WorkCoefficients coefficients;  ///< alpha is part of WorkRank::alpha
  Limits limits;                  ///< limits on memory
};

/// Work and memory of a rank.
struct RankWork {
  double work = 0;
  double traffic = 0;  ///< cost of all messages to and from other ranks
  double memory_bytes = 0;
};

/// Indices of the objects of a rank by their numbers.
class LocalIndex {
 public:
  static constexpr std::size_t none = ~std::size_t{0};
  explicit LocalIndex(const WorkRank& rank);
  std::size_t find(std::uint64_t number) const;
  /// Returns whether the other end of an edge of this rank is on this rank, too.
  bool is_local(const WorkEdge& edge) const {
    return edge.is_fixed != 0 ? edge.rank == rank_ : find(edge.other) != none;
  }

 private:
  std::int32_t rank_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

/// Returns the work and memory of a rank. O(objects + edges).
RankWork work_of(const WorkRank& rank, const WorkRules& rules);

}  // namespace plimsoll::balance
