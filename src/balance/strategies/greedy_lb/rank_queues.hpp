#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/support/contract.hpp>
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
    PLIMSOLL_EXPECT(!ranks.empty());
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

/// Kinetic tournament tree over ranks of different speeds: finds the rank that finishes an object first. Ties
/// go to the rank that precedes the others in the constructor's list. Loads of objects must not increase from
/// call to call. Each rank's finish time is a linear function of the object's load: the rank's time plus load
/// / speed. Each match stores the load down to which its result and the results before it are valid, so only
/// matches whose lines cross are repeated. Changing one rank takes O(log P), and processing crossings takes
/// O(log^2 P) amortised. Source: J. Basch, L. J. Guibas, J. Hershberger, "Data structures for mobile data",
/// 1999.
class EarliestFinishTree {
 public:
  struct Entry {
    double time_s;  ///< time, >= 0
    double speed;
    std::uint32_t rank;
  };

  /// Requires that `load` is >= the load of the first query.
  EarliestFinishTree(const std::vector<Entry>& ranks, double load)
      : leaves_(std::bit_ceil(ranks.size())), nodes_(2 * leaves_) {
    PLIMSOLL_EXPECT(!ranks.empty());
    for (std::size_t i = 0; i < ranks.size(); ++i)
      nodes_[leaves_ + i] = {ranks[i].time_s, 1 / ranks[i].speed, never, ranks[i].rank,
                             static_cast<std::uint32_t>(i)};
    for (std::size_t i = leaves_; i-- > 1;) play(i, load);
  }

  /// Returns the rank that finishes an object of this load first, and the time.
  Entry earliest(double load) {
    pass(1, load);
    const Node& winner = nodes_[1];
    return {winner.finish_s(load), 1 / winner.s_per_load, winner.rank};
  }

  /// Changes the time of the rank that the last earliest() returned. `load` must be the same as in that call.
  void set_earliest(double time_s, double load) {
    std::size_t i = leaves_ + nodes_[1].leaf;
    nodes_[i].time_s = time_s;
    while ((i /= 2) > 0) play(i, load);
  }

 private:
  static constexpr double never = -1;

  struct Node {
    double time_s = std::numeric_limits<double>::infinity();
    double s_per_load = 0;
    double changes_below = never;  ///< load below which this match or a match before it changes
    std::uint32_t rank = 0;
    std::uint32_t leaf = 0;
    double finish_s(double load) const { return time_s + load * s_per_load; }
  };

  void play(std::size_t i, double load) {
    const Node& left = nodes_[2 * i];
    const Node& right = nodes_[2 * i + 1];
    const bool right_wins = right.finish_s(load) < left.finish_s(load);
    const Node& winner = right_wins ? right : left;
    const Node& loser = right_wins ? left : right;
    double changes_below = std::max(left.changes_below, right.changes_below);
    // Check the slopes: for lighter objects the loser can win only if its line is steeper.
    if (loser.s_per_load > winner.s_per_load && loser.time_s < winner.time_s)
      changes_below = std::max(changes_below, std::min(load, (winner.time_s - loser.time_s) /
                                                                 (loser.s_per_load - winner.s_per_load)));
    nodes_[i] = winner;
    nodes_[i].changes_below = changes_below;
  }

  void pass(std::size_t i, double load) {
    if (load >= nodes_[i].changes_below) return;
    pass(2 * i, load);
    pass(2 * i + 1, load);
    play(i, load);
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;  ///< node i is the winner of nodes 2 i and 2 i + 1; leaf k is at leaves_ + k
};

/// Calendar queue: ranks in buckets of equal width by their finish time. If the times only increase, it finds
/// in O(1) some rank whose finish time is within one bucket's width of the earliest.
class FinishBuckets {
 public:
  /// Ranks that finish after `n_buckets * width_s` share the last bucket.
  FinishBuckets(std::vector<double> finish_s, double width_s, std::size_t n_buckets)
      : finish_s_(std::move(finish_s)),
        buckets_per_s_(1 / width_s),
        first_in_(n_buckets, none),
        next_(finish_s_.size(), none) {
    PLIMSOLL_EXPECT(!finish_s_.empty() && width_s > 0);
    for (auto rank = static_cast<std::uint32_t>(finish_s_.size()); rank-- > 0;) insert(rank);
    advance();
  }

  /// Returns the first rank of the first non-empty bucket.
  std::uint32_t earliest() const { return first_in_[bucket_]; }
  double finish_s(std::uint32_t rank) const { return finish_s_[rank]; }

  /// Increases the finish time of the earliest() rank by `work_s`.
  void raise_earliest(double work_s) {
    PLIMSOLL_EXPECT(work_s >= 0);
    const std::uint32_t rank = earliest();
    first_in_[bucket_] = next_[rank];
    finish_s_[rank] += work_s;
    insert(rank);
    advance();
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  void insert(std::uint32_t rank) {
    const auto last = static_cast<double>(first_in_.size() - 1);
    std::uint32_t& first =
        first_in_[static_cast<std::size_t>(std::min(finish_s_[rank] * buckets_per_s_, last))];
    next_[rank] = first;
    first = rank;
  }
  void advance() {
    while (first_in_[bucket_] == none) ++bucket_;
  }

  std::vector<double> finish_s_;
  double buckets_per_s_;
  std::size_t bucket_ = 0;               ///< buckets before it are empty
  std::vector<std::uint32_t> first_in_;  ///< list of ranks per bucket
  std::vector<std::uint32_t> next_;      ///< rank after each rank in its list
};

}  // namespace plimsoll::balance
