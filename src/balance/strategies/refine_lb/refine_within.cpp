#include "balance/strategies/refine_lb/refine_within.hpp"

#include <algorithm>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/obj_graph.hpp>

#include "balance/search/rounding_error.hpp"
#include "balance/strategies/refine_lb/evacuate.hpp"
#include "balance/strategies/refine_lb/shed.hpp"

namespace plimsoll::inline v0_1::balance {

void refine_within(double tolerance, LDStats& stats, const ProcArray& procs,
                   const std::function<void(RankObjects& ranks, double target_s)>& finish) {
  ObjGraph graph(stats, GraphEdges::ignore);
  const double start = procs.max_load();
  const double target =
      std::max(tolerance * procs.average_load(), lower_bound(stats, procs).time_s) * (1 + rounding_error);

  if (procs.must_evacuate() || start > target) {
    RankObjects ranks(graph, procs);
    if (procs.must_evacuate()) evacuate(ranks);
    shed_excess(ranks, target, procs.average_load());
    finish(ranks, target);
    if (!procs.must_evacuate() && ranks.max_finish() >= start * (1 - rounding_error)) {
      stats.to_proc = stats.from_proc;
      return;
    }
  }
  graph.convert_decisions(stats);
}

}  // namespace plimsoll::balance
