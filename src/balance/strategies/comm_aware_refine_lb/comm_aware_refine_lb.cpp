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
    const double target_s =
        std::max(tolerance_ * procs.average_load(), finish_time_bound(stats, procs).time_s);
    // Use a slightly lower limit if the initial placement is within the target, so that rounding errors do
    // not lift it above the target. Otherwise ranks may finish exactly at the target.
    const double limit_s = target_s * (procs.max_load() > target_s ? 1 + rounding_error : 1 - rounding_error);
    stats.to_proc =
        search_placement(stats, procs, affinity, {limit_s, cost_per_migration(score_terms(), stats)});
    keep_start_unless_better(*this, procs, stats);
  }

  ScoreTerms score_terms() const override {
    ScoreTerms terms = ScoreTerms::of_communication(tolerance_, false, per_message_);
    terms.per_migration = migration_cost_;
    return terms;
  }

 private:
  double tolerance_;
  double per_message_;
  double migration_cost_;
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
      {{"RefineCommLB"}, {"GreedyCommLB"}},
      false,
      TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
