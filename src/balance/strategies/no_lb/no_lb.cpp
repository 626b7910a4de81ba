
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Leaves every object in place, even on an unavailable processor: the baseline.
class NoLB : public Strategy {
 public:
  explicit NoLB(const Parameters& parameters) : Strategy("NoLB", parameters) {}
  void work(LDStats& stats) override;
  bool minimises_score() const override { return false; }
};

StrategyInfo no_lb_info() {
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
