#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Memory of each rank and node while objects migrate, in bytes. The memory of a rank has four parts:
///  - its own working memory
///  - the size of each distinct shared block that its objects use
///  - the footprints of all its objects
///  - the maximum working memory of one object
///
/// If configured, the serialised size of the largest object counts as well. Source: LBAF 1.6
/// (max_memory_usage per rank); vt 1.6 also counts the serialised form.
class MemoryUse {
 public:
  /// Computes the memory for objects at `placement`. An object with a negative rank is not placed yet. The
  /// stats must have LDStats::memory and outlive this object. Cost: O(objects log objects).
  MemoryUse(const LDStats& stats, std::span<const std::int32_t> placement, bool count_serialized);

  double of_rank(std::int32_t rank) const { return use_[index(rank)].bytes; }
  /// Returns the memory of all ranks on the node of `rank`.
  double of_node(std::int32_t rank) const { return node_bytes_[node_of_[index(rank)]]; }
  bool is_first_of_node(std::int32_t rank) const { return first_of_node_[node_of_[index(rank)]] == rank; }
  /// Returns the off-home shared-block bytes: the size of the blocks that the rank's objects use and whose
  /// home is another rank.
  double homing_bytes(std::int32_t rank) const { return use_[index(rank)].homing_bytes; }
  std::size_t n_blocks(std::int32_t rank) const { return use_[index(rank)].blocks.size(); }

  /// Updates the memory after an object is placed or removed. Cost: O(log objects of the rank).
  void add(std::uint32_t object, std::int32_t rank);
  void remove(std::uint32_t object, std::int32_t rank);

 private:
  /// Sizes, largest first, with the number of objects of each size.
  using Sizes = std::map<double, std::uint32_t, std::greater<>>;
  struct RankUse {
    double bytes = 0;        ///< total bytes
    double fixed_bytes = 0;  ///< working memory of the rank
    double footprint_bytes = 0;
    double block_bytes = 0;
    double homing_bytes = 0;
    Sizes working;
    Sizes serialized;
    std::map<std::uint32_t, std::uint32_t> blocks;  ///< number of objects that use each block
  };
  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  double total(const RankUse& use) const;
  void update(std::int32_t rank);

  const LDStats& stats_;
  bool count_serialized_;
  std::vector<RankUse> use_;
  std::vector<double> node_bytes_;  ///< memory of the ranks of each node
  std::vector<std::int32_t> first_of_node_;
  std::vector<std::size_t> node_of_;  ///< node of each rank, an index into node_bytes_
};

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
  /// Returns `max_moves` and `max_moved_bytes`.
  static std::span<const ParameterSpec> move_parameters() { return std::span(parameters()).first(2); }

  bool limit_moves() const {
    return max_moves != std::numeric_limits<std::int64_t>::max() || max_moved_bytes != unlimited;
  }
  bool limit_memory() const { return max_memory_bytes != unlimited || max_node_memory_bytes != unlimited; }
  /// Returns the memory above the limits, in bytes, summed over ranks and nodes. Ignores excesses within
  /// rounding errors.
  double memory_excess(const MemoryUse& use, std::int32_t n_ranks) const;
  /// Returns whether the limits need LDStats::memory.
  bool need_memory() const { return limit_memory() || max_moved_bytes != unlimited; }
  bool any() const { return limit_moves() || limit_memory(); }
};

/// Memory that each rank and node may use: the limit, or the use at from_proc if that is more.
class MemoryAllowance {
 public:
  /// `before` is the use at from_proc.
  MemoryAllowance(const Limits& limits, const MemoryUse& before, std::int32_t n_ranks);

  double of_rank(std::int32_t rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }
  /// Returns whether the rank and its node use at most the allowed memory.
  bool fits(const MemoryUse& use, std::int32_t rank) const {
    return use.of_rank(rank) <= of_rank(rank) &&
           use.of_node(rank) <= of_node_[static_cast<std::size_t>(rank)];
  }

 private:
  std::vector<double> of_rank_;
  std::vector<double> of_node_;  // allowance of each rank's node
};

/// Throws Error (usage) if a limit on bytes or memory is set, but the stats contain no size above 0 that it
/// could limit. Cost: O(objects).
void require_sizes(const Limits& limits, const LDStats& stats);

/// Returns whether a placement satisfies the limits. The number of migrations and their bytes must not exceed
/// the limits. Each rank and node must be within the memory limit, or use no more memory than at from_proc.
/// Cost: O(objects).
bool within(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns whether each rank and node is within the memory limit, or uses no more memory than at from_proc.
/// Cost: O(objects).
bool within_memory(const Limits& limits, const LDStats& stats, std::span<const std::int32_t> placement);

/// Returns the part of `to_proc` that satisfies the limits and minimises the maximum load (all dimensions and
/// subphases); of several such parts, one with few migrations. Higher limits on migrations or bytes never
/// increase the maximum load. Returns all of `to_proc` if it satisfies the limits. Throws Error (usage) if
/// the objects on unavailable processors do not fit. Cost: O(objects + m log m) for m migrations.
std::vector<std::int32_t> apply_limits(const Limits& limits, const LDStats& stats,
                                       std::span<const std::int32_t> to_proc);

}  // namespace plimsoll::balance
