#include <algorithm>
#include <utility>

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

/// Finds a placement about as good as GreedyLB's with few migrations: at most `tolerance` times GreedyLB's
/// maximum load, or 0.05 % above the lower bound. It uses refine_within(), i.e. it differs from RefineLB in
/// the meaning of its parameter. One thread. All load dimensions and subphases count. Source: name and
/// parameter of GreedyRefine of Charm++ 7.
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
    target_ = has_vector_loads(stats)
                  ? refine_vectors_to_greedy(stats, procs)
                  : refine_within(tolerance_ * refinement_tolerance, limits_, stats, procs);
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return vector_balance_score(stats, placement);
  }

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
  return {"GreedyRefineLB",
          "balances as well as GreedyLB, within a tolerance, with few migrations",
          {{"tolerance", 1.0, "target maximum load relative to the best possible or GreedyLB's (>= 1)"}},
          make_strategy<GreedyRefineLB>,
          {.communication = false, .numbers = false, .subphases = true},
          {{"GreedyRefine"}}};
}

}  // namespace plimsoll::balance
