#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/memory_use.hpp>
#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::inline v0_1::balance {

/// What a new placement may cost, and what it must fit into. Every strategy takes them as parameters.
struct Limits {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  std::int64_t max_moves = std::numeric_limits<std::int64_t>::max();  ///< objects that move
  double max_moved_bytes = unlimited;        ///< of all that move, LDStats::migration_bytes()
  double max_memory_bytes = unlimited;       ///< of each rank (MemoryUse)
  double max_node_memory_bytes = unlimited;  ///< of the ranks of each node together
  bool count_serialized = false;             ///< whether the largest serialised object counts as memory

  Limits() = default;
  /// From the parameters that parameters() lists.
  explicit Limits(const Parameters& parameters);
  /// `max_moves`, `max_moved_bytes`, `max_memory_bytes` (vt: `memory_threshold`), `max_node_memory_bytes`,
  /// `count_serialized`; -1 is no limit. Throws Error (usage) for other negative values.
  static const std::vector<ParameterSpec>& parameters();

  bool limit_moves() const;
  bool limit_memory() const;
  /// What ranks, and what nodes, have beyond the limits, together, in bytes; no less than rounding.
  double memory_excess(const MemoryUse& use, std::int32_t n_ranks) const;
  /// Whether LDStats::memory matters.
  bool need_memory() const { return limit_memory() || max_moved_bytes != unlimited; }
  bool any() const { return limit_moves() || limit_memory(); }
};

/// Whether objects may be at `placement`: as few moves and bytes as allowed, and no rank or node with more
/// memory than allowed unless it has no more than at from_proc. O(objects).
bool within(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement);

/// As much of `to_proc` as the limits allow: first what leaves processors that are not available, then, one
/// at a time, the heaviest move of the processor that finishes last, where it does not make the greatest
/// finish later; what does not fit stays. `to_proc` itself if it is within the limits. Throws Error (usage)
/// if what has to leave does not fit. O(objects + moves log moves).
std::vector<std::int32_t> apply_limits(const Limits& limits, const LDStats& stats,
                                       std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
