#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance {

/// Memory of each rank and node while objects move about, in bytes:
/// rank_working + shared blocks that its objects use, each once + sum of the objects' footprints + the most
/// that one of them takes to work (and, if counted, to be serialised). Source: LBAF 1.6 (max_memory_usage of
/// a rank); vt 1.6 counts the serialised form too.
class MemoryUse {
 public:
  /// Objects are at `placement`; those at a negative rank are nowhere yet. The stats must have
  /// LDStats::memory and outlive this. O(objects log objects).
  MemoryUse(const LDStats& stats, std::span<const std::int32_t> placement, bool count_serialized);

  double of_rank(std::int32_t rank) const { return use_[index(rank)].bytes; }
  /// Of all ranks on the node of `rank`.
  double of_node(std::int32_t rank) const { return node_bytes_[node_of_[index(rank)]]; }
  bool is_first_of_node(std::int32_t rank) const { return first_of_node_[node_of_[index(rank)]] == rank; }
  /// Blocks that objects of the rank use and that are at home elsewhere.
  double homing_bytes(std::int32_t rank) const { return use_[index(rank)].homing_bytes; }
  std::size_t n_blocks(std::int32_t rank) const { return use_[index(rank)].blocks.size(); }

  /// O(log objects of the rank) each.
  void add(std::uint32_t object, std::int32_t rank);
  void remove(std::uint32_t object, std::int32_t rank);

 private:
  /// Sizes, largest first, and how many there are of each.
  using Sizes = std::map<double, std::uint32_t, std::greater<>>;
  struct RankUse {
    double bytes = 0;        ///< in all
    double fixed_bytes = 0;  ///< working memory of the rank
    double footprint_bytes = 0;
    double block_bytes = 0;
    double homing_bytes = 0;
    Sizes working;
    Sizes serialized;
    std::map<std::uint32_t, std::uint32_t> blocks;  ///< how many objects use each
  };
  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

  double total(const RankUse& use) const;
  void update(std::int32_t rank);

  const LDStats& stats_;
  bool count_serialized_;
  std::vector<RankUse> use_;
  std::vector<double> node_bytes_;  ///< of the ranks of each node
  std::vector<std::int32_t> first_of_node_;
  std::vector<std::size_t> node_of_;  ///< of each rank, an index of node_bytes_
};

}  // namespace plimsoll::balance
