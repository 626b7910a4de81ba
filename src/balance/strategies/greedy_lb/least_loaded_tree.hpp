#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Tournament tree that finds the rank that finishes first. Ties go to the rank that precedes the others in
/// the constructor's list. After a change of one rank's time, only the matches between this rank and the root
/// are repeated. Cost: O(1) for earliest(), O(log P) for set_earliest().
class LeastLoadedTree {
 public:
  struct Entry {
    double time_s;  ///< time, >= 0
    std::uint32_t rank;
  };

  explicit LeastLoadedTree(const std::vector<Entry>& ranks)
      : leaves_(std::bit_ceil(ranks.size())),
        nodes_(2 * leaves_, {std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()), 0}) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      nodes_[leaves_ + i] = {std::bit_cast<std::uint64_t>(ranks[i].time_s), i << 32 | ranks[i].rank};
    for (std::size_t i = leaves_; i-- > 1;)
      nodes_[i] = nodes_[2 * i + 1].time_bits < nodes_[2 * i].time_bits ? nodes_[2 * i + 1] : nodes_[2 * i];
  }

  Entry earliest() const {
    return {std::bit_cast<double>(nodes_[1].time_bits), static_cast<std::uint32_t>(nodes_[1].leaf_and_rank)};
  }

  /// Changes the time of the earliest() rank.
  void set_earliest(double time_s) {
    std::uint64_t time_bits = std::bit_cast<std::uint64_t>(time_s);
    std::uint64_t leaf_and_rank = nodes_[1].leaf_and_rank;
    for (std::size_t i = leaves_ + (leaf_and_rank >> 32); i > 1; i /= 2) {
      nodes_[i] = {time_bits, leaf_and_rank};
      // Prefer the left sibling in a tie.
      const Node& sibling = nodes_[i ^ 1];
      const bool sibling_wins = sibling.time_bits < time_bits + (i & 1);
      time_bits = sibling_wins ? sibling.time_bits : time_bits;
      leaf_and_rank = sibling_wins ? sibling.leaf_and_rank : leaf_and_rank;
    }
    nodes_[1] = {time_bits, leaf_and_rank};
  }

 private:
  struct Node {
    std::uint64_t time_bits;  ///< bits of the double; for non-negative doubles, both have the same order
    std::uint64_t leaf_and_rank;
  };

  std::size_t leaves_;
  std::vector<Node> nodes_;  ///< node i is the winner of nodes 2 i and 2 i + 1; leaf k is at leaves_ + k
};

}  // namespace plimsoll::balance
