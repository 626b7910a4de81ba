#include "balance/strategies/greedy_refine_lb/greedy_refine_lb.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/strategies/delegate.hpp"
#include "balance/strategies/greedy_lb/greedy_lb.hpp"
#include "balance/strategies/greedy_lb/place_greedily.hpp"

namespace plimsoll::inline v0_1::balance {

namespace {

// Tolerance for sums of the same loads in different orders.
constexpr double rounding = 1 + 1e-11;

/// Keeps objects in place, heaviest first, while their rank finishes by `latest_s`, and places the others
/// greedily.
void keep_what_fits(LDStats& stats, double latest_s) {
  ProcArray procs(stats);
  ObjGraph graph(stats, GraphEdges::ignore);
  procs.reset_total_load();
  place_greedily(keep_heaviest(stats, procs, latest_s), graph, procs);
  graph.convert_decisions(stats);
}

}  // namespace

StrategyInfo GreedyRefineLB::info() {
  return {"GreedyRefineLB",
          "balances as well as GreedyLB, within a tolerance, with few migrations",
          {{"tolerance", 1.0, "target maximum load relative to the maximum load of GreedyLB (>= 1)"}},
          make_strategy<GreedyRefineLB>,
          {},
          {{"GreedyRefine"}}};
}

GreedyRefineLB::GreedyRefineLB(const Parameters& parameters)
    : Strategy("GreedyRefineLB", parameters), tolerance_(parameters.get<double>("tolerance")) {
  if (!(tolerance_ >= 1))
    throw invalid_parameter("GreedyRefineLB", "tolerance", tolerance_,
                            "use 1 or more (1: as good as GreedyLB)");
}

void GreedyRefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  delegate_to<GreedyLB>(stats);
  std::vector<std::int32_t> greedy = stats.to_proc;
  const double allowed = tolerance_ * score(stats, greedy).first;
  const auto good_enough = [&](std::span<const std::int32_t> placement) {
    return score(stats, placement).first <= allowed * rounding;
  };

  if (!procs.must_evacuate() && good_enough(stats.from_proc)) {
    stats.to_proc = stats.from_proc;
    return;
  }
  delegate_to_refinement(stats, allowed);
  if (good_enough(stats.to_proc)) return;
  keep_what_fits(stats, allowed * procs.average_load());
  if (!good_enough(stats.to_proc)) stats.to_proc = std::move(greedy);
}

}  // namespace plimsoll::balance
