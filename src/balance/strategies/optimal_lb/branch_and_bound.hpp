#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "balance/search/work_state.hpp"

namespace plimsoll::inline v0_1::balance {

/// Looks through all placements, leaving out those that can't be better than the best one known: objects are
/// placed one after the other, heaviest first, each on every rank, least work first.
///
/// A part of a placement is given up where its greatest work, or memory, is too much, or where the work that
/// the ranks have left can't hold the load that is still to come (in whole units of load, of each rank). Of
/// ranks that are equal so far only the first is tried, and equal objects are not exchanged. More than 5,000
/// objects are not searched.
class BranchAndBound {
 public:
  struct Effort {
    std::int64_t max_nodes = 0;
    double time_limit_s = 0;
  };

  /// The stats must be good and outlive this. `least_work` is a bound on the greatest work.
  BranchAndBound(const LDStats& stats, const WorkGoal& goal, double least_work, const Effort& effort);

  /// A placement that is known, within the limits, to be improved upon.
  void start_with(std::vector<std::int32_t> placement);
  void run();

  /// Empty if none was found.
  const std::vector<std::int32_t>& best() const { return best_; }
  /// A greatest work that no placement is below, unless with more memory beyond the limits than the best.
  double proven_work() const { return proven_work_; }
  const Score& best_score() const { return best_score_; }
  std::int64_t n_nodes() const { return n_nodes_; }

 private:
  double search(std::size_t depth);
  bool stop();
  bool can_improve() const;
  bool has_room_for_rest(std::size_t depth) const;
  bool repeats_another(std::size_t depth, std::int32_t rank) const;
  bool within_budget() const;
  double tolerable_work() const;
  void keep_if_best();
  void sort_objects();
  void find_equal_objects();

  const LDStats& stats_;
  const WorkGoal& goal_;
  double least_work_;
  Effort effort_;
  WorkState state_;
  std::vector<std::int32_t> ranks_;       ///< available ones
  std::vector<std::uint32_t> objects_;    ///< migratable ones in the order in which they are placed
  std::vector<bool> equals_previous_;     ///< of each of objects_
  std::vector<double> load_from_;         ///< of each of objects_ and all after it
  std::vector<std::int32_t> equal_rank_;  ///< of each rank, the first equal one; empty if moves are limited
  std::vector<std::uint32_t> n_placed_;   ///< of each rank, migratable objects
  double unit_ = 0;                       ///< of loads, 0 if too small to count in
  std::int64_t n_moved_ = 0;
  double moved_bytes_ = 0;
  std::int64_t n_nodes_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::vector<std::int32_t> best_;
  Score best_score_;
  double proven_work_;
};

}  // namespace plimsoll::balance
