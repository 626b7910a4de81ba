#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable objects of one rank that use the same shared block.
struct Cluster {
  std::int32_t rank = 0;
  double load_s = 0;
  std::vector<std::uint32_t> objects;
};

/// All clusters, by shared block, while objects migrate. A block has few clusters, so they are found by
/// linear search.
class Clusters {
 public:
  Clusters(const LDStats& stats, std::span<const std::int32_t> placement)
      : stats_(stats),
        block_of_(placement.size(), ObjMemory::no_block),
        clusters_(stats.blocks.size()),
        position_(placement.size()) {
    for (std::uint32_t object = 0; object < stats.memory.size(); ++object) {
      block_of_[object] = stats.memory[object].block;
      if (stats.obj_data[object].migratable) add(object, placement[object]);
    }
  }

  /// Returns the shared block of an object, or ObjMemory::no_block.
  std::uint32_t block_of(std::uint32_t object) const { return block_of_[object]; }
  /// Returns the clusters of a block, none of them empty.
  const std::vector<Cluster>& of_block(std::uint32_t block) const { return clusters_[block]; }
  /// Returns the cluster of a migratable object, which is on `rank` and uses a shared block.
  const Cluster& of(std::uint32_t object, std::int32_t rank) const {
    return *std::ranges::find(clusters_[block_of_[object]], rank, &Cluster::rank);
  }

  /// Migrates an object. Cost: O(clusters of the block).
  void move(std::uint32_t object, std::int32_t from, std::int32_t to) {
    remove(object, from);
    add(object, to);
  }

 private:
  void add(std::uint32_t object, std::int32_t rank) {
    if (block_of_[object] == ObjMemory::no_block) return;
    std::vector<Cluster>& clusters = clusters_[block_of_[object]];
    auto cluster = std::ranges::find(clusters, rank, &Cluster::rank);
    if (cluster == clusters.end()) cluster = clusters.insert(cluster, {.rank = rank});
    position_[object] = static_cast<std::uint32_t>(cluster->objects.size());
    cluster->objects.push_back(object);
    cluster->load_s += stats_.load_s(object);
  }

  void remove(std::uint32_t object, std::int32_t rank) {
    if (block_of_[object] == ObjMemory::no_block) return;
    std::vector<Cluster>& clusters = clusters_[block_of_[object]];
    const auto cluster = std::ranges::find(clusters, rank, &Cluster::rank);
    PLIMSOLL_EXPECT(cluster != clusters.end() && cluster->objects[position_[object]] == object);
    const std::uint32_t last = cluster->objects.back();
    cluster->objects[position_[object]] = last;
    position_[last] = position_[object];
    cluster->objects.pop_back();
    cluster->load_s -= stats_.load_s(object);
    if (!cluster->objects.empty()) return;
    if (cluster != clusters.end() - 1) *cluster = std::move(clusters.back());
    clusters.pop_back();
  }

  const LDStats& stats_;
  std::vector<std::uint32_t> block_of_;  ///< block of each object, copied for fast access
  std::vector<std::vector<Cluster>> clusters_;
  std::vector<std::uint32_t> position_;  ///< position of each object in its cluster
};

}  // namespace plimsoll::balance
