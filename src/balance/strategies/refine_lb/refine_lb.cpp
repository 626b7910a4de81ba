#include "balance/strategies/refine_lb/refine_lb.hpp"

#include <algorithm>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/exchange.hpp"
#include "balance/strategies/refine_lb/evacuate.hpp"
#include "balance/strategies/refine_lb/shed.hpp"
#include "balance/strategies/tolerance.hpp"
#include "balance/vectors/level_vectors.hpp"

namespace plimsoll::balance {

namespace {

// Less than this is rounding: a rank may be that much above its target, and a gain must be more.
constexpr double rounding = 1e-12;

std::vector<std::int32_t> refine_vectors(const LDStats& stats, const ProcArray& procs, double tolerance) {
  const VectorLoads loads(stats, procs);
  VectorRanks ranks(stats, procs, loads, stats.from_proc);
  if (procs.has_evacuees()) evacuate_vectors(ranks);
  level_vectors(ranks, std::max(tolerance, loads.bound()));
  return ranks.take_placement();
}

}  // namespace

StrategyInfo RefineLB::info() {
  return {"RefineLB",
          "good balance with few moves: only what is above the target moves",
          {{"tolerance",
            1.0005,
            "greatest load to reach, as a multiple of the average (1 or more)",
            {"overload"}}},
          make_strategy<RefineLB>,
          {},
          {{"RefineA"}, {"RefineB"}}};
}

RefineLB::RefineLB(const Parameters& parameters)
    : Strategy("RefineLB", parameters), tolerance_(tolerance_of("RefineLB", parameters)) {}

void RefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  if (!stats.more_loads.empty()) {
    stats.to_proc = refine_vectors(stats, procs, tolerance_);
    return;
  }
  ObjGraph graph(stats, GraphEdges::ignore);
  const double start = procs.max_load();
  const double target =
      std::max(tolerance_ * procs.average_load(), lower_bound(stats, procs).time_s) * (1 + rounding);

  if (procs.has_evacuees() || start > target) {
    RankObjects ranks(graph, procs);
    if (procs.has_evacuees()) evacuate(ranks);
    shed_excess(ranks, target, procs.average_load());
    level_by_exchange(ranks, target);
    if (!procs.has_evacuees() && ranks.max_finish() >= start * (1 - rounding)) {
      stats.to_proc = stats.from_proc;
      return;
    }
  }
  graph.convert_decisions(stats);
}

}  // namespace plimsoll::balance
