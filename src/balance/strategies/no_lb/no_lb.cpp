#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Leaves every object in place, even on an unavailable processor: the baseline.
class NoLB : public Strategy {
 public:
  explicit NoLB(const Parameters& parameters) : Strategy("NoLB", parameters) {}
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    ObjGraph(stats, GraphEdges::ignore).convert_decisions(stats);
  }

  bool minimises_score() const override { return false; }
};

}  // namespace

StrategyInfo no_lb_info() {
  return {"NoLB",
          "leaves every object where it is: a baseline for comparisons",
          {},
          make_strategy<NoLB>,
          {.communication = false, .numbers = false},
          {{"DummyLB"}, {"Dummy"}}};
}

}  // namespace plimsoll::balance
