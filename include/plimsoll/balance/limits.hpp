#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/memory_use.hpp>
#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Limits on the migration cost and the memory of a new placement. Every strategy accepts them as parameters.
struct Limits {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  std::int64_t max_moves = std::numeric_limits<std::int64_t>::max();  ///< max number of objects that migrate
  double max_moved_bytes = unlimited;        ///< max bytes of all migrations (LDStats::migration_bytes())
  double max_memory_bytes = unlimited;       ///< max memory per rank (MemoryUse)
  double max_node_memory_bytes = unlimited;  ///< max memory per node, summed over its ranks
  bool count_serialized = false;  ///< whether the serialised form of the largest object counts as memory

  Limits() = default;
  /// Reads the limits from the parameters that parameters() lists.
  explicit Limits(const Parameters& parameters);
  /// Returns the parameters `max_moves`, `max_moved_bytes`, `max_memory_bytes` (vt: `memory_threshold`),
  /// `max_node_memory_bytes` and `count_serialized`. The value -1 means no limit. The constructor throws
  /// Error (usage) for other negative values.
  static const std::vector<ParameterSpec>& parameters();

  bool limit_moves() const;
  bool limit_memory() const;
  /// Returns the memory above the limits, in bytes, summed over ranks and nodes. Ignores excesses within
  /// rounding errors.
  double memory_excess(const MemoryUse& use, std::int32_t n_ranks) const;
  /// Returns whether the limits need LDStats::memory.
  bool need_memory() const { return limit_memory() || max_moved_bytes != unlimited; }
  bool any() const { return limit_moves() || limit_memory(); }
};

/// Throws Error (usage) if a limit on bytes or memory is set, but the stats contain no size above 0 that it
/// could limit. Cost: O(objects).
void require_sizes(const Limits& limits, const LDStats& stats);

/// Returns whether a placement satisfies the limits. The number of migrations and their bytes must not exceed
/// the limits. Each rank and node must be within the memory limit, or use no more memory than at from_proc.
/// Cost: O(objects).
bool within(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the part of `to_proc` that satisfies the limits, or all of `to_proc` if it satisfies them. First
/// it migrates objects away from unavailable processors. Then it repeatedly takes the processor that finishes
/// last and applies its heaviest migration that does not increase the maximum finish time. Other objects
/// stay. Throws Error (usage) if the objects on unavailable processors do not fit. Cost: O(objects + moves
/// log moves).
std::vector<std::int32_t> apply_limits(const Limits& limits, const LDStats& stats,
                                       std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
