#include "balance/strategies/refine_swap_lb/refine_swap_lb.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/bound.hpp>
#include <plimsoll/balance/obj_graph.hpp>
#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/strategies/refine_lb/evacuate.hpp"
#include "balance/strategies/refine_lb/shed.hpp"
#include "balance/strategies/refine_swap_lb/pair_search.hpp"
#include "balance/strategies/tolerance.hpp"

namespace plimsoll::balance {

namespace {

// Less than this is rounding: a rank may be that much above its target, and a gain must be more.
constexpr double rounding = 1e-12;

}  // namespace

StrategyInfo RefineSwapLB::info() {
  return {"RefineSwapLB",
          "best balance of few objects a processor: moves, swaps and new splits of two processors",
          {{"tolerance", 1.00001, "greatest load to reach, as a multiple of the average (1 or more)"},
           {"seed", std::int64_t{1}, "of the random exchanges that lead out of dead ends"},
           {"effort", std::int64_t{20'000}, "splits of two processors to try at most (0 or more)"}},
          make_strategy<RefineSwapLB>};
}

RefineSwapLB::RefineSwapLB(const Parameters& parameters)
    : Strategy("RefineSwapLB", parameters),
      tolerance_(tolerance_of("RefineSwapLB", parameters)),
      seed_(parameters.get<std::int64_t>("seed")),
      effort_(parameters.get<std::int64_t>("effort")) {
  if (effort_ < 0) throw support::usage_error(fmt::format("effort of RefineSwapLB is {}, below 0", effort_));
}

void RefineSwapLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  ObjGraph graph(stats, GraphEdges::ignore);
  const double start = procs.max_load();
  const double target =
      std::max(tolerance_ * procs.average_load(), lower_bound(stats, procs).time_s) * (1 + rounding);

  if (procs.has_evacuees() || start > target) {
    RankObjects ranks(graph, procs);
    if (procs.has_evacuees()) evacuate(ranks);
    shed_excess(ranks, target, procs.average_load());
    PairSearch(ranks, target, static_cast<std::uint64_t>(seed_)).run(static_cast<std::uint64_t>(effort_));
    if (!procs.has_evacuees() && ranks.max_finish() >= start * (1 - rounding)) {
      stats.to_proc = stats.from_proc;
      return;
    }
  }
  graph.convert_decisions(stats);
}

}  // namespace plimsoll::balance
