#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/search/block_space.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Migratable objects of each shared block, heaviest first.
using ObjectsOfBlocks = std::vector<std::vector<std::uint32_t>>;

/// Objects of one shared block that one rank receives.
struct BlockPiece {
  std::int32_t rank = 0;
  std::span<const std::uint32_t> objects;
};

/// Pieces of all blocks, and the objects to which they refer, in another order.
struct BlockDivision {
  ObjectsOfBlocks objects;
  std::vector<BlockPiece> pieces;
};

/// Divides the objects of shared blocks among ranks, such that no rank has a work above `level`. The result
/// is empty if the function finds no such division.
///
/// The function fills one rank after another. It sorts the remaining blocks by load, and considers windows of
/// consecutive blocks that fill the memory of the rank. The rank receives the window with the lightest blocks
/// whose load is sufficient, but only some objects of the heaviest block. The other objects of that block
/// form a block for later ranks. So every rank uses its memory, and divides at most one block. No block is
/// divided if a lighter one fills the rank so far that the other ranks need not receive more than their
/// share. If the objects of the block are too heavy to fill the rank so far, a slightly heavier block is
/// divided.
///
/// Blocks of similar loads are in the order of the ranks on which they are, so that many stay together. Loads
/// are similar if they differ by less than the factor 1 + `granularity`; 0 means equal loads only.
///
/// Cost: O(ranks * blocks + objects). Source: the sliding window of L. Epstein, R. van Stee, "Approximation
/// schemes for packing splittable items with cardinality constraints", Algorithmica 62 (2012), with bytes for
/// cardinalities.
std::optional<BlockDivision> divide_blocks(const LDStats& stats, ObjectsOfBlocks objects,
                                           std::span<const BlockHost> hosts, double level,
                                           double granularity);

}  // namespace plimsoll::balance
