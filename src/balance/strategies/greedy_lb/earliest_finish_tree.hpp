#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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

}  // namespace plimsoll::balance
