#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

std::vector<std::int32_t> next_available(const ProcArray& procs) {
  const std::size_t n = procs.procs.size();
  std::vector<std::int32_t> next(n, ObjGraph::no_pe);
  std::int32_t nearest = ObjGraph::no_pe;
  // Visit the processors twice, backwards: the first round finds the nearest available processor beyond the
  // end.
  for (std::size_t step = 2 * n; step-- > 0;) {
    const ProcInfo& proc = procs.procs[step % n];
    next[step % n] = nearest;
    if (proc.available) nearest = proc.proc_id;
  }
  return next;
}

/// Migrates every object to the next available processor, regardless of the loads. This strategy serves to
/// test migration.
class RotateLB : public Strategy {
 public:
  explicit RotateLB(const Parameters& parameters) : Strategy("RotateLB", parameters) {}
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    ObjGraph graph(stats, GraphEdges::ignore);
    const std::vector<std::int32_t> next = next_available(procs);
    for (std::uint32_t object = 0; object < graph.n_vertices(); ++object)
      if (graph.migratable(object))
        graph.set_new_pe(object, next[static_cast<std::size_t>(graph.current_pe(object))]);
    graph.convert_decisions(stats);
  }

  bool minimises_score() const override { return false; }
};

}  // namespace

StrategyInfo rotate_lb_info() {
  return {"RotateLB",
          "migrates every object to the next processor, to test migration",
          {},
          make_strategy<RotateLB>,
          {.communication = false, .numbers = false},
          {{"Rotate"}}};
}

}  // namespace plimsoll::balance
