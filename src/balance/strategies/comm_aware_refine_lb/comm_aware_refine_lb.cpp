#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

#include "balance/search/border_shift.hpp"
#include "balance/search/comm_moves.hpp"
#include "balance/search/comm_placement.hpp"
#include "balance/search/hill_climbing.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/placement.hpp"
#include "balance/search/transfers.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Search for a placement below a limit with low costs of communication and migrations.
class CommSearch {
 public:
  CommSearch(const LDStats& stats, const ProcArray& procs, const Affinity& affinity, const CommGoal& goal)
      : stats_(stats), procs_(procs), affinity_(affinity), goal_(goal) {}

  /// Returns the best placement found.
  std::vector<std::int32_t> run() const {
    std::vector<Candidate> starts = balanced_starts();
    std::ranges::stable_sort(starts, {}, &Candidate::score);
    Candidate best = climbed(std::move(starts.front().placement));
    for (auto start = starts.begin() + 1; start != starts.end() && start->score < best.score; ++start)
      if (Candidate other = climbed(std::move(start->placement)); other.score < best.score)
        best = std::move(other);
    return best.placement;
  }

 private:
  // Minimum saving of a pass that justifies another one. A first pass may fill ranks and so block migrations
  // that are possible later.
  static constexpr double worthwhile_share = 0.01;
  static constexpr int max_passes = 4;
  // Share of the room between average and limit that ranks keep for the search by hill climbing.
  static constexpr double spare_share = 0.5;
  // Numbers of ranks through which an excess passes at most. The costs decide between few migrations (0:
  // objects migrate directly to the ranks with most room) and borders that stay where they are.
  static constexpr std::size_t passed_ranks[] = {0, 1, 2, 8};

  struct Candidate {
    Score score;
    std::vector<std::int32_t> placement;
  };

  CommPlacement placed(std::vector<std::int32_t> placement) const {
    return CommPlacement(stats_, procs_, affinity_, goal_, std::move(placement));
  }

  std::vector<Candidate> balanced_starts() const {
    const CommPlacement present = placed(stats_.from_proc);
    if (!present.any_has_to_give() && !procs_.must_evacuate()) return {gathered(stats_.from_proc)};
    std::vector<Candidate> starts;
    for (const std::size_t distance : passed_ranks) starts.push_back(gathered(balanced(distance)));
    return starts;
  }

  /// Returns a placement in which no rank finishes after the limit, if the search finds one.
  std::vector<std::int32_t> balanced(std::size_t distance) const {
    // Omit the cost of a migration, because some object has to leave anyway.
    const double spare_s = spare_share * std::max(0.0, goal_.limit_s - procs_.average_load());
    const CommGoal spare{goal_.limit_s - spare_s, 0};
    CommPlacement placement(stats_, procs_, affinity_, spare, stats_.from_proc);
    if (distance > 0) shift_borders(placement, plan_transfers(placement, distance));
    shed(placement);
    CommPlacement without_spare = placed(placement.placement());
    if (!without_spare.any_has_to_give()) return without_spare.placement();
    shed(without_spare);
    if (!without_spare.any_has_to_give()) return without_spare.placement();
    // Swaps find improvements that single migrations miss.
    Placement levelled(stats_, procs_, without_spare.placement());
    level_by_exchange(levelled, goal_.limit_s);
    return levelled.assignment();
  }

  static void shed(CommPlacement& placement) {
    for (int pass = 0; pass < max_passes && shed_to_partners(placement); ++pass) {
    }
  }

  Candidate gathered(std::vector<std::int32_t> start) const {
    CommPlacement placement = placed(std::move(start));
    const double total = affinity_.total_cost();
    for (int pass = 0; pass < max_passes; ++pass)
      if (gather_partners(placement, rounding_error * total) <= worthwhile_share * total) break;
    return {placement.score(), placement.placement()};
  }

  Candidate climbed(std::vector<std::int32_t> start) const {
    CommPlacement placement = placed(std::move(start));
    climb_hills(placement);
    return {placement.score(), placement.placement()};
  }

  const LDStats& stats_;
  const ProcArray& procs_;
  const Affinity& affinity_;
  CommGoal goal_;
};

/// Lowers the maximum finish time to `tolerance` times the average (or the lower bound, if that is more), and
/// keeps communicating objects together. Minimises off-rank communication plus the cost of migrations. First,
/// objects leave the ranks that are above the target, to their partners' ranks or from rank to rank. Then
/// objects migrate to their partners, and chains of migrations improve the borders of ranks, as long as that
/// preserves the balance. Keeps the initial placement unless the result is better. One thread;
/// O((objects + edges) log objects) for objects with few partners. Source: the objective of CommAwareRefineLB
/// of Charm++ 6.10, with the price of migrations of K. Schloegel, G. Karypis, V. Kumar, "A unified algorithm
/// for load-balancing adaptive scientific simulations" (2000).
class CommAwareRefineLB : public Strategy {
 public:
  explicit CommAwareRefineLB(const Parameters& parameters)
      : Strategy("CommAwareRefineLB", parameters),
        tolerance_(tolerance_of("CommAwareRefineLB", parameters)),
        per_message_(parameters.get<double>("per_message")),
        migration_cost_(parameters.get<double>("migration_cost")) {
    if (per_message_ < 0)
      throw invalid_parameter("CommAwareRefineLB", "per_message", per_message_,
                              "set the cost per message in bytes, in addition to its size, e.g. 4000");
    if (migration_cost_ < 0)
      throw invalid_parameter("CommAwareRefineLB", "migration_cost", migration_cost_,
                              "set the cost relative to the mean communication of an object, e.g. 0.1");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    const Affinity affinity(stats, per_message_);
    target_ = relative_target(stats, procs);
    const double target_s = target_ * procs.average_load();
    // Use a slightly lower limit if the initial placement is within the target, so that rounding errors do
    // not lift it above the target. Otherwise ranks may finish exactly at the target.
    const double limit_s = target_s * (procs.max_load() > target_s ? 1 + rounding_error : 1 - rounding_error);
    stats.to_proc = CommSearch(stats, procs, affinity, {limit_s, cost_per_migration(stats)}).run();
    keep_start_unless_better(*this, procs, stats);
  }

  /// Returns the maximum load relative to the average, or the target if that is higher, and the costs.
  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    const ProcArray procs(stats);
    const RankTraffic traffic = rank_traffic(stats, placement);
    std::int64_t n_moved = 0;
    for (std::size_t object = 0; object < placement.size(); ++object)
      n_moved += placement[object] != stats.from_proc[object] ? 1 : 0;
    return {std::max(relative_target(stats, procs), balance_score(stats, placement).first),
            traffic.off_rank_bytes() + per_message_ * static_cast<double>(traffic.off_rank_messages()) +
                cost_per_migration(stats) * static_cast<double>(n_moved)};
  }

  double target() const override { return target_; }

 private:
  double relative_target(const LDStats& stats, const ProcArray& procs) const {
    const double average_s = procs.average_load();
    return average_s > 0 ? std::max(tolerance_, finish_time_bound(stats, procs).time_s / average_s)
                         : tolerance_;
  }

  /// Returns `migration_cost` times the mean communication of an object.
  double cost_per_migration(const LDStats& stats) const {
    double total = 0;
    for (const LDCommData& comm : stats.comm_data)
      if (comm.sender != comm.receiver)
        total += comm.bytes + per_message_ * static_cast<double>(comm.messages);
    const double cost = stats.obj_data.empty() ? 0 : 2 * migration_cost_ * total / stats.n_objs();
    if (!std::isfinite(cost * stats.n_objs()))
      throw support::usage_error("the sum of the migration costs is not finite",
                                 "use a smaller migration_cost");
    return cost;
  }

  double tolerance_;
  double per_message_;
  double migration_cost_;
  double target_ = 0;
};

}  // namespace

StrategyInfo comm_aware_refine_lb_info() {
  return {
      "CommAwareRefineLB",
      "balances within a tolerance with few migrations; keeps communicating objects close together",
      {{"tolerance", 1.05, "target maximum load relative to the average (>= 1)"},
       {"per_message", 0.001, "cost per message in bytes, in addition to its size (>= 0)"},
       {"migration_cost", 0.3, "cost of a migration relative to the mean communication of an object (>= 0)"}},
      make_strategy<CommAwareRefineLB>,
      {.numbers = false},
      {{"RefineCommLB"}, {"GreedyCommLB"}}};
}

}  // namespace plimsoll::balance
