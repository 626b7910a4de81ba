#include "balance/strategies/optimal_lb/optimal_lb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "balance/search/assignment.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/cluster_lb/cluster_lb.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Minimum relative improvement: smaller differences may be rounding errors, because work values are sums in
// different orders.
constexpr double rounding = 1e-10;

// Maximum number of objects that the search accepts, because the tree, and thus the stack, is as deep as this
// number. For more objects, only the given lower bound is proven.
constexpr std::size_t max_objects = 5000;

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
  BranchAndBound(const LDStats& stats, const WorkGoal& goal, double minimum_work, const Effort& effort)
      : stats_(stats),
        goal_(goal),
        minimum_work_(minimum_work),
        effort_(effort),
        state_(stats, goal, non_migratable_only(stats)),
        ranks_(available_ranks(stats)),
        n_placed_(stats.procs.size()),
        begin_(std::chrono::steady_clock::now()),
        best_score_{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()},
        proven_work_(minimum_work) {
    PLIMSOLL_EXPECT(minimum_work >= 0);
    for (const std::int32_t rank : ranks_)
      least_slope_ = rank == ranks_.front() ? state_.slope(rank) : std::min(least_slope_, state_.slope(rank));
    sort_objects();
    find_equal_objects();
    if (!goal.limits.limit_moves()) equal_rank_ = first_equal_ranks(stats, goal, state_);
  }

  void start_with(std::vector<std::int32_t> placement) {
    PLIMSOLL_EXPECT(placement.size() == stats_.obj_data.size());
    const Score score = goal_.score(stats_, placement);
    if (!(score < best_score_)) return;
    best_score_ = score;
    best_ = std::move(placement);
  }

  void run() {
    begin_ = std::chrono::steady_clock::now();
    prove();
    if (best_score_.first == 0 && best_score_.second <= proven_work_ * (1 + rounding) &&
        objects_.size() <= max_objects)
      reduce_total_work();
  }

  const std::vector<std::int32_t>& best() const { return best_; }
  /// Returns a lower bound on the maximum work of all placements that do not exceed the memory limits by more
  /// than the best placement.
  double proven_work() const { return proven_work_; }
  const Score& best_score() const { return best_score_; }

 private:
  void prove() {
    if (best_score_.first == 0 && best_score_.second <= minimum_work_ * (1 + rounding)) return;
    if (objects_.size() > max_objects) return;
    if (can_improve(0) && has_room_for_rest(0))
      proven_work_ = std::max(minimum_work_, std::min(search(0), best_score_.second));
    else
      proven_work_ = best_score_.second;
  }

  /// Searches among the placements that are optimal, up to rounding errors, for those with less total work.
  /// Inspects as many partial placements as the proof, or a few more.
  void reduce_total_work() {
    constexpr std::int64_t min_nodes = 100'000;
    effort_.max_nodes = std::min(effort_.max_nodes, n_nodes_ + std::max(min_nodes, n_nodes_));
    best_total_ = WorkState(stats_, goal_, best_).total_work();
    if (can_improve(0) && has_room_for_rest(0)) search(0);
  }

  /// Returns a lower bound on the work of all placements that agree on the first `depth` objects, with two
  /// exceptions: placements that the search has already found, and placements that exceed the memory limits
  /// by more than the best placement found.
  double search(std::size_t depth) {
    if (depth == objects_.size()) {
      keep_if_best();
      return best_score_.second;
    }
    if (stop()) return state_.max_work();
    ++n_nodes_;
    const std::uint32_t object = objects_[depth];
    std::vector<std::int32_t> order = ranks_;
    std::ranges::stable_sort(order, {}, [&](std::int32_t rank) {
      return std::pair(state_.work(rank) + state_.slope(rank) * stats_.load_s(object),
                       rank != stats_.from_proc[object]);
    });
    double minimum = std::numeric_limits<double>::infinity();
    const double bytes = stats_.migration_bytes(object);
    for (const std::int32_t rank : order) {
      if (repeats_another(depth, rank)) continue;
      const bool moves = rank != stats_.from_proc[object];
      n_moved_ += moves;
      moved_bytes_ += moves ? bytes : 0;
      state_.place(object, rank);
      ++n_placed_[at(rank)];
      if (state_.fits(rank) && within_budget()) {
        if (!can_improve(depth + 1) || !has_room_for_rest(depth + 1))
          minimum = std::min(minimum, best_score_.second);
        else
          minimum = std::min(minimum, search(depth + 1));
      }
      --n_placed_[at(rank)];
      state_.take(object);
      moved_bytes_ -= moves ? bytes : 0;
      n_moved_ -= moves;
    }
    return minimum;
  }

  bool stop() {
    if (stopped_) return true;
    // Limit clock queries: one query takes as long as the work for a few ranks. The time per tree node grows
    // with up to the square of the number of ranks.
    constexpr std::size_t ranks_between_looks = 1024;
    const auto nodes_between_looks =
        static_cast<std::int64_t>(1 + ranks_between_looks / (ranks_.size() * ranks_.size()));
    stopped_ = n_nodes_ >= effort_.max_nodes;
    if (n_nodes_ % nodes_between_looks == 0) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
      stopped_ = stopped_ || elapsed.count() >= effort_.time_limit_s;
    }
    return stopped_;
  }

  /// Returns whether the placement of the first `depth` objects may become better than the best one. A better
  /// placement exceeds the memory limits by less, or by the same amount with less work. After the proof, it
  /// is optimal and has less total work.
  bool can_improve(std::size_t depth) const {
    const double excess = state_.memory_excess();
    if (excess > best_score_.first) return false;
    if (best_total_)
      return state_.max_work() <= tolerable_work() &&
             state_.total_work() + least_slope_ * load_from_[depth] < *best_total_ * (1 - rounding);
    return excess < best_score_.first || state_.max_work() < tolerable_work();
  }

  /// Returns whether the ranks can hold all unplaced load with a work below tolerable_work().
  bool has_room_for_rest(std::size_t depth) const {
    if (state_.memory_excess() < best_score_.first) return true;
    double room = 0;
    for (const std::int32_t rank : ranks_) {
      const double free = tolerable_work() - state_.work(rank);
      const double slope = state_.slope(rank);
      if (slope == 0) return true;
      room += unit_ > 0 ? unit_ * std::floor(free / (slope * unit_)) : free / slope;
    }
    return room >= load_from_[depth] * (1 - rounding);
  }

  /// Returns whether the search visits an equally good placement that has the object on another rank.
  bool repeats_another(std::size_t depth, std::int32_t rank) const {
    if (equals_previous_[depth] && rank < state_.rank_of(objects_[depth - 1])) return true;
    if (goal_.limits.limit_moves()) return false;
    const bool loads_decide = goal_.is_load_only() && !goal_.limits.limit_memory() && goal_.max_blocks < 0;
    for (const std::int32_t other : ranks_) {
      if (other >= rank) break;
      if (loads_decide ? state_.work(other) == state_.work(rank) && state_.slope(other) == state_.slope(rank)
                       : n_placed_[at(rank)] == 0 && n_placed_[at(other)] == 0 &&
                             equal_rank_[at(rank)] == equal_rank_[at(other)])
        return true;
    }
    return false;
  }

  bool within_budget() const {
    return n_moved_ <= goal_.limits.max_moves && moved_bytes_ <= goal_.limits.max_moved_bytes;
  }

  double tolerable_work() const {
    if (best_total_) return best_score_.second * (1 + rounding);
    return best_.empty() ? best_score_.second : best_score_.second * (1 - rounding);
  }

  void keep_if_best() {
    if (best_total_) {
      best_total_ = state_.total_work();
      best_ = state_.placement();
      return;
    }
    const Score score{state_.memory_excess(), state_.max_work()};
    if (!(score < best_score_)) return;
    best_score_ = score;
    best_ = state_.placement();
  }

  /// Returns the load of an object and its use of memory.
  auto size_of(std::uint32_t object) const {
    const ObjMemory memory = stats_.memory.empty() ? ObjMemory{} : stats_.memory[object];
    return std::tuple(stats_.obj_data[object].walltime, memory.block, memory.footprint_bytes,
                      memory.working_bytes, memory.serialized_bytes);
  }

  void sort_objects() {
    std::vector<double> loads;
    for (std::uint32_t object = 0; object < stats_.obj_data.size(); ++object) {
      if (!stats_.obj_data[object].migratable) continue;
      objects_.push_back(object);
      loads.push_back(stats_.load_s(object));
    }
    std::ranges::stable_sort(objects_, std::greater(), [&](std::uint32_t object) { return size_of(object); });
    load_from_.assign(objects_.size() + 1, 0.0);
    for (std::size_t k = objects_.size(); k-- > 0;)
      load_from_[k] = load_from_[k + 1] + stats_.load_s(objects_[k]);
    unit_ = common_unit(loads);
    if (!(load_from_[0] / unit_ < 1e9)) unit_ = 0;
  }

  void find_equal_objects() {
    equals_previous_.assign(objects_.size(), false);
    if (goal_.limits.limit_moves()) return;
    for (std::size_t k = 1; k < objects_.size(); ++k) {
      const std::uint32_t left = objects_[k - 1];
      const std::uint32_t right = objects_[k];
      equals_previous_[k] =
          size_of(left) == size_of(right) && state_.edges(left).empty() && state_.edges(right).empty();
    }
  }

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
  std::optional<double> best_total_;  ///< total work of best_, after the proof
  double least_slope_ = 0;            ///< minimum work per second of load
};

/// Returns the number of annealing steps for the initial solution, at most the maximum number of tree nodes.
/// In problems that the search can solve, the initial solution is then nearly always optimal.
std::int64_t effort_of_start(const LDStats& stats, std::int64_t max_nodes) {
  return std::min({8000 * std::int64_t{stats.n_objs()}, std::int64_t{2'000'000}, max_nodes});
}

}  // namespace

StrategyInfo optimal_lb_info() {
  std::vector<ParameterSpec> parameters = WorkGoal::parameters();
  parameters.push_back(
      {"max_nodes", std::int64_t{10'000'000}, "maximum number of partial placements to examine"});
  parameters.push_back(
      {"time_limit_s", 5.0, "maximum search time in seconds; if reached, results may vary between runs"});
  return {
      .name = "OptimalLB",
      .help = "minimises the maximum work per rank by exact branch and bound, with a proof; for small cases",
      .parameters = std::move(parameters),
      .make = make_strategy<OptimalLB>,
      .needs = {.memory = true},
      .searches_within_limits = true};
}

OptimalLB::OptimalLB(const Parameters& parameters)
    : Strategy("OptimalLB", parameters),
      goal_("OptimalLB", parameters),
      max_nodes_(parameters.get<std::int64_t>("max_nodes")),
      time_limit_s_(parameters.get<double>("time_limit_s")) {
  if (max_nodes_ < 0 || !(time_limit_s_ >= 0))
    throw support::usage_error(
        fmt::format("invalid max_nodes {} or time_limit_s {} of OptimalLB: both must be >= 0", max_nodes_,
                    time_limit_s_),
        "use numbers >= 0");
}

void OptimalLB::work(LDStats& stats) {
  ProcArray(stats).require_available();
  scope_ = stats.subphases.empty() ? "" : " for whole phases";
  const double minimum_work = max_work_lower_bound(stats, goal_);
  BranchAndBound tree(stats, goal_, minimum_work, {.max_nodes = max_nodes_, .time_limit_s = time_limit_s_});
  if (auto start =
          search_clusters(stats, goal_, minimum_work, minimum_work, 0, effort_of_start(stats, max_nodes_));
      start && within(goal_.limits, stats, *start))
    tree.start_with(std::move(*start));
  tree.run();
  if (tree.best().empty() && stats.n_objs() > 0) throw cannot_evacuate();
  proven_bound_ = tree.proven_work();
  maximum_work_ = tree.best_score().second;
  stats.to_proc = with_fewer_moves(stats, goal_, 0, tree.best(), TotalWork::keep);
}

std::vector<Remark> OptimalLB::remarks() const {
  std::string text = fmt::format(
      "This placement is optimal{}: no placement within the limits has a smaller maximum work.", scope_);
  if (maximum_work_ > proven_bound_ * (1 + 1e-9)) {
    text = proven_bound_ > 0
               ? fmt::format("Proved within {} % of the optimum{}: no placement has a maximum work below {}.",
                             support::format_number(100 * (maximum_work_ / proven_bound_ - 1)), scope_,
                             support::format_seconds(proven_bound_))
               : "This placement may not be optimal: the search proved no lower bound above 0 s.";
  }
  return {{"proven_bound", proven_bound_, text}};
}

}  // namespace plimsoll::balance
