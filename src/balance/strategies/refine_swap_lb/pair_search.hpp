#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "balance/database/rank_objects.hpp"
#include "balance/search/random.hpp"
#include "balance/strategies/refine_swap_lb/subset_sums.hpp"

namespace plimsoll::inline v0_1::balance {

/// Lowers the greatest finish of the available ranks by iterated local search. A step splits the objects of
/// the latest rank and of another one between these two anew, so that the later of them finishes as early as
/// possible. Where no partner helps, a few random exchanges make another start near the best placement known;
/// it ends at the best.
class PairSearch {
 public:
  /// Ends when all finish at `target_s`. Same ranks and seed, same moves.
  PairSearch(RankObjects& ranks, double target_s, std::uint64_t seed);

  /// Tries at most this many splits, each O(objects of the two ranks); of more than 16 objects, a random 16.
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

  // Of one split; kept because there are thousands.
  SubsetSums sums_;
  std::vector<Move> chosen_;  ///< `to` is the other of the two ranks
  std::vector<double> loads_;
};

}  // namespace plimsoll::balance
