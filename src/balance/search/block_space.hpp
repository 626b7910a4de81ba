#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Memory that only the largest object of a rank needs, in bytes.
struct ObjectBytes {
  double working = 0;     ///< working memory of one migratable object
  double serialized = 0;  ///< serialised size of one migratable object, if the limits count it
};

/// Available rank that receives migratable objects.
struct BlockHost {
  std::int32_t rank = 0;
  double base = 0;   ///< work without migratable objects
  double slope = 0;  ///< work per second of load
  /// Memory for shared blocks and footprints, >= 0.
  double bytes = std::numeric_limits<double>::infinity();
  /// Maximum number of distinct shared blocks.
  std::size_t max_blocks = std::numeric_limits<std::size_t>::max();

  /// Returns the load (s) that the rank can receive with a work of at most `work`.
  double room(double work) const { return work <= base ? 0 : (work - base) / slope; }
};

/// Returns the available ranks with the memory that the limits leave for migratable objects. Limits of nodes
/// are ignored. `of_object` is the memory of a single object that each rank keeps free.
std::vector<BlockHost> block_hosts(const LDStats& stats, const WorkGoal& goal, const ObjectBytes& of_object);

/// Returns the migratable objects of each shared block.
std::vector<std::vector<std::uint32_t>> migratable_by_block(const LDStats& stats);

}  // namespace plimsoll::balance
