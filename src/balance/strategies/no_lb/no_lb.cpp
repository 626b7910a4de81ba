#include "balance/strategies/no_lb/no_lb.hpp"

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

StrategyInfo NoLB::info() {
  return {"NoLB",
          "leaves every object where it is: a baseline for comparisons",
          {},
          make_strategy<NoLB>,
          {.communication = false, .numbers = false},
          {{"DummyLB"}, {"Dummy"}}};
}

void NoLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  ObjGraph(stats, GraphEdges::ignore).convert_decisions(stats);
}

}  // namespace plimsoll::balance
