#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Distribution of loads over objects and shared blocks.
enum class BlockLaw {
  even,         ///< all objects have similar loads
  hot_spot,     ///< objects of a tenth of the blocks, on neighbouring ranks, have ten times the load
  heavy_tailed  ///< few blocks have many objects
};

/// Size of a copy of a shared block of shared_blocks().
inline constexpr double block_bytes = 1e9;

/// Creates objects with shared blocks, about `per_block` for each block. Equal numbers of consecutive blocks
/// are on each rank.
inline LDStats shared_blocks(std::size_t n_procs, std::size_t n_blocks, std::size_t per_block, BlockLaw law,
                             std::uint64_t seed) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::uint32_t block = 0; block < n_blocks; ++block) {
    const auto rank = static_cast<std::int32_t>(block * n_procs / n_blocks);
    stats.blocks.push_back({block_bytes, rank});
    const bool hot = law == BlockLaw::hot_spot && block < (n_blocks + 9) / 10;
    const double share = law == BlockLaw::heavy_tailed ? 4 * std::pow(random.uniform(), 3) : 1;
    const auto n_objs = static_cast<std::size_t>(std::max(1.0, share * static_cast<double>(per_block)));
    for (std::size_t k = 0; k < n_objs; ++k) {
      stats.obj_data.push_back({static_cast<LBRealType>((hot ? 10 : 1) * (0.5 + random.uniform())), true});
      stats.memory.push_back({.footprint_bytes = 1000, .working_bytes = 1e8, .block = block});
      stats.from_proc.push_back(rank);
    }
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

/// Returns the value of max_memory_bytes with which each rank of shared_blocks() can hold `n` blocks.
inline double memory_of_blocks(std::size_t n) {
  return (static_cast<double>(n) + 0.5) * block_bytes + 1e8;
}

}  // namespace plimsoll::balance::testing
