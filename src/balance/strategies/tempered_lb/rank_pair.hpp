#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/strategies/tempered_lb/cluster_swaps.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Two ranks with their parts, which change sides. Sides are 0 and 1. Parts of both ranks are numbered: first
/// those of the first rank, then those of the second one. The rest of each rank keeps its side.
class RankPair {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// The rules must outlive this object.
  RankPair(const RankView& first, const RankView& second, const WorkRules& rules);

  /// Returns the parts on a side that can change it.
  std::vector<std::size_t> movable(std::size_t side) const;
  std::size_t side_of(std::size_t part) const { return side_[part]; }
  std::size_t first_part_of_second_rank() const { return n_first_; }

  PairScore score() const { return score_of(state_); }
  /// Returns whether both ranks may be in the state after two parts, one of each side, change sides. `given`
  /// or `taken` may be none. If so, sets `after` to the score then. O(blocks of the parts).
  bool may_swap(std::size_t given, std::size_t taken, PairScore& after) const;
  void swap(std::size_t given, std::size_t taken);

 private:
  /// Sums over one side.
  struct Side {
    double load = 0;
    double sent = 0;      ///< cost of messages to ranks other than these two
    double received = 0;  ///< cost of messages from such ranks
    double to_other = 0;  ///< cost of messages to the other side
    double block_bytes = 0;
    double homing_bytes = 0;
    double footprint_bytes = 0;
    double working_bytes = 0;
    double serialized_bytes = 0;
    std::int64_t n_objects = 0;
  };
  using Sides = std::array<Side, 2>;
  struct Part {
    double load = 0;
    double footprint_bytes = 0;
    double working_bytes = 0;
    double serialized_bytes = 0;
    std::int64_t n_objects = 0;
    std::array<double, 2> sent{};      ///< cost of messages to other ranks, on each side
    std::array<double, 2> received{};  ///< cost of messages from other ranks, on each side
    struct Block {
      std::size_t index;
      std::int64_t n_objects;
    };
    std::vector<Block> blocks;
    // Changes of Side::to_other if this part changes sides alone.
    std::array<double, 2> to_other{};
  };
  struct UsedBlock {
    WorkBlock block;
    std::array<std::int64_t, 2> n_objects{};
  };

  void add_parts(const RankView& view, std::size_t side);
  void add_edges(const RankView& first, const RankView& second);
  void add_external(const ViewEdge& edge, std::size_t part);
  double& bytes(std::size_t from, std::size_t to) { return bytes_[from * parts_.size() + to]; }
  double bytes(std::size_t from, std::size_t to) const { return bytes_[from * parts_.size() + to]; }

  /// Brings everything up to date that depends on the sides of all parts.
  void update();
  void add(const Part& part, Side& side, std::size_t number, double sign) const;
  void move_blocks(const Part* given, const Part* taken, Sides& sides) const;
  void set_largest(std::size_t given, std::size_t taken, Sides& sides) const;
  double work(const Sides& sides, std::size_t side) const;
  double memory(const Side& side) const;
  bool is_allowed(const Sides& sides) const;
  PairScore score_of(const Sides& sides) const;

  const WorkRules& rules_;
  std::array<ViewHead, 2> heads_;
  std::vector<Part> parts_;
  std::vector<std::size_t> side_;
  std::size_t n_first_ = 0;
  std::vector<UsedBlock> blocks_;
  std::vector<double> bytes_;  // cost of messages between parts if they are on different sides
  Sides state_;
  std::array<double, 2> memory_before_{};
};

}  // namespace plimsoll::balance
