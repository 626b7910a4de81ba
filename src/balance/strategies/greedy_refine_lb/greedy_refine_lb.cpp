#include <algorithm>
#include <utility>

#include "balance/search/loads.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"
#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Tolerance for sums of the same loads in different orders.
constexpr double with_rounding = 1 + 1e-11;

// Maximum load relative to the lower bound that is as good as GreedyLB: a lower one would need more
// migrations.
constexpr double refinement_tolerance = 1.0005;

// Number of objects per rank up to which GreedyLB may end clearly above the lower bound.
constexpr std::int32_t few_per_rank = 24;

/// Returns GreedyLB's maximum finish time relative to the lower bound if running it takes less time than the
/// search for a lower maximum, because the objects are many, but few per rank; else 1.
double greedy_above_bound(LDStats& stats, const ProcArray& procs) {
  const double bound_s = finish_time_bound(stats, procs).time_s;
  if (bound_s == 0 || procs.n_migratable() <= RefineContext().max_compared ||
      procs.n_migratable() > few_per_rank * procs.n_available())
    return 1;
  delegate_to(greedy_lb_info(), stats);
  return std::ranges::max(finish_times(stats, stats.to_proc)) / bound_s;
}

/// Finds a placement about as good as GreedyLB's with few migrations: at most `tolerance` times the higher of
/// GreedyLB's maximum load and 1.0005 times the lower bound. It uses refine_within(), i.e. it differs from
/// RefineLB in the meaning of its parameter. One thread. All load dimensions and subphases count. Source:
/// name and parameter of GreedyRefine of Charm++ 7.
class GreedyRefineLB : public Strategy {
 public:
  explicit GreedyRefineLB(const Parameters& parameters)
      : Strategy("GreedyRefineLB", parameters),
        tolerance_(parameters.get<double>("tolerance")),
        limits_(parameters) {
    if (!(tolerance_ >= 1))
      throw invalid_parameter("GreedyRefineLB", "tolerance", tolerance_,
                              "use 1 or more (1: as good as GreedyLB)");
  }

  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    target_ =
        has_vector_loads(stats)
            ? refine_vectors_to_greedy(stats, procs)
            : refine_within(tolerance_ * std::max(refinement_tolerance, greedy_above_bound(stats, procs)),
                            limits_, stats, procs);
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_load(true); }

  double target() const override { return target_; }

 private:
  /// Returns the target.
  double refine_vectors_to_greedy(LDStats& stats, const ProcArray& procs) const {
    delegate_to(greedy_lb_info(), stats);
    std::vector<std::int32_t> greedy = stats.to_proc;
    const double allowed = tolerance_ * score(stats, greedy).first;
    const auto good_enough = [&](std::span<const std::int32_t> placement) {
      return score(stats, placement).first <= allowed * with_rounding;
    };

    if (!procs.must_evacuate() && good_enough(stats.from_proc)) {
      stats.to_proc = stats.from_proc;
      return allowed;
    }
    delegate_to_refinement(stats, allowed / std::max(1.0, VectorLoads(stats, procs).bound()));
    if (!good_enough(stats.to_proc)) stats.to_proc = std::move(greedy);
    return allowed;
  }

  double tolerance_;
  Limits limits_;
  double target_ = 0;
};

}  // namespace

StrategyInfo greedy_refine_lb_info() {
  return {.name = "GreedyRefineLB",
          .help = "balances as well as GreedyLB, within a tolerance, with few migrations",
          .parameters = {{"tolerance", 1.0,
                          "target maximum load relative to the best possible or GreedyLB's (>= 1)"}},
          .make = make_strategy<GreedyRefineLB>,
          .needs = {.communication = false, .numbers = false, .subphases = true},
          .aliases = {{"GreedyRefine"}},
          .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
