#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "balance/database/rank_objects.hpp"
#include "balance/search/random.hpp"
#include "balance/strategies/refine_swap_lb/subset_sums.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Iterated local search that lowers the maximum finish time of the available ranks. A step redistributes the
/// objects of two ranks between these, to minimise the later of their finish times. One of the two is the
/// rank that finishes last. If no partner helps, a few random swaps create a new start near the best known
/// placement. The search returns to the best placement at its end.
class PairSearch {
 public:
  /// Prepares a search that ends when all ranks finish by `target_s`. The same ranks and seed give the same
  /// migrations.
  PairSearch(RankObjects& ranks, double target_s, std::uint64_t seed);

  /// Tries at most `max_splits` splits, each O(objects of the two ranks). If the ranks have more than 16
  /// objects, it splits 16 random ones.
  void run(std::uint64_t max_splits);

 private:
  struct Move {
    RankObjects::Item item;
    std::uint32_t from;
    std::uint32_t to;
  };

  bool improve_latest();
  bool split_better(std::uint32_t late, std::uint32_t partner);
  void choose(std::uint32_t rank, std::size_t count);
  void kick();
  void move(const Move& move);
  void return_to_best();
  std::uint32_t latest() const { return by_finish_.rbegin()->second; }
  double latest_s() const { return by_finish_.rbegin()->first; }

  RankObjects& ranks_;
  double target_s_;
  Random random_;
  std::set<std::pair<double, std::uint32_t>> by_finish_;  ///< available ranks
  std::vector<Move> since_best_;
  std::uint64_t splits_left_ = 0;

  // Buffers for one split, reused because a search makes thousands of splits.
  SubsetSums sums_;
  std::vector<Move> chosen_;  ///< `to` is the other of the two ranks
  std::vector<double> loads_;
};

}  // namespace plimsoll::balance
