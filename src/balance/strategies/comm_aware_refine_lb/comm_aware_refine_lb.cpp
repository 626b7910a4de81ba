#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <plimsoll/support/error.hpp>

#include "balance/search/comm_search.hpp"
#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

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
    stats.to_proc = search_placement(stats, procs, affinity, {limit_s, cost_per_migration(stats)});
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
