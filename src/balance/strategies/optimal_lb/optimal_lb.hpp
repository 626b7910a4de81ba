#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Branch-and-bound search over all placements. Objects are placed one after another, heaviest first, each on
/// every rank in ascending order of work.
///
/// A partial placement is abandoned if its maximum work or memory is too high. It is also abandoned if the
/// remaining work of the ranks cannot hold the unplaced load (in whole units of load per rank). If several
/// ranks are equal so far, only the first is tried. Equal objects are not swapped. Problems with more than
/// 5,000 objects are not searched.
class BranchAndBound {
 public:
  struct Effort {
    std::int64_t max_nodes = 0;
    double time_limit_s = 0;
  };

  /// Requires valid stats that outlive this object. `minimum_work` is a lower bound on the maximum work.
  BranchAndBound(const LDStats& stats, const WorkGoal& goal, double minimum_work, const Effort& effort);

  /// Sets a known placement within the limits that the search must improve on.
  void start_with(std::vector<std::int32_t> placement);
  void run();

  /// Returns the best placement; empty if none was found.
  const std::vector<std::int32_t>& best() const { return best_; }
  /// Returns a lower bound on the maximum work of all placements that do not exceed the memory limits by more
  /// than the best placement.
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
  double minimum_work_;
  Effort effort_;
  WorkState state_;
  std::vector<std::int32_t> ranks_;       ///< available ranks
  std::vector<std::uint32_t> objects_;    ///< migratable objects in the order of placing
  std::vector<bool> equals_previous_;     ///< whether each of objects_ equals the previous one
  std::vector<double> load_from_;         ///< load of each of objects_ and all after it
  std::vector<std::int32_t> equal_rank_;  ///< first equal rank of each rank; empty if migrations are limited
  std::vector<std::uint32_t> n_placed_;   ///< migratable objects per rank
  double unit_ = 0;                       ///< common unit of loads, 0 if too small for counting
  std::int64_t n_moved_ = 0;
  double moved_bytes_ = 0;
  std::int64_t n_nodes_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::vector<std::int32_t> best_;
  Score best_score_;
  double proven_work_;
};

/// Minimises the maximum work per rank (WorkModel) over all placements within the limits. Branch and bound
/// starts from a placement that ClusterLB's search finds. It runs until the result is proven optimal, or the
/// limit of nodes or time is reached. In the latter case remarks() reports the maximum distance to the
/// optimum. One thread; time grows exponentially with the number of objects.
class OptimalLB : public Strategy {
 public:
  explicit OptimalLB(const Parameters& parameters);
  void work(LDStats& stats) override;
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }
  std::vector<Remark> remarks() const override;

  /// Returns a lower bound on the maximum work of all placements within the limits, as found by the last
  /// work().
  double proven_bound() const { return proven_bound_; }

 private:
  WorkGoal goal_;
  std::int64_t max_nodes_;
  double time_limit_s_;
  double proven_bound_ = 0;
  double maximum_work_ = 0;
};

}  // namespace plimsoll::balance
