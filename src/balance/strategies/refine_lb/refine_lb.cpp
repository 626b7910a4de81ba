#include "balance/strategies/refine_lb/refine_lb.hpp"

#include <algorithm>

#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/tolerance.hpp>

#include "balance/strategies/refine_lb/refine_within.hpp"
#include "balance/vector_loads/level_vectors.hpp"

namespace plimsoll::inline v0_1::balance {

namespace {

std::vector<std::int32_t> refine_vectors(const LDStats& stats, const ProcArray& procs, double tolerance) {
  const VectorLoads loads(stats, procs);
  VectorRanks ranks(stats, procs, loads, stats.from_proc);
  if (procs.must_evacuate()) evacuate_vectors(ranks);
  level_vectors(ranks, tolerance * std::max(1.0, loads.bound()));
  return ranks.take_placement();
}

}  // namespace

StrategyInfo RefineLB::info() {
  return {"RefineLB",
          "good balance with few migrations: only load above the target migrates",
          {{"tolerance", 1.0005, "target maximum load relative to the lower bound (>= 1)", {"overload"}}},
          make_strategy<RefineLB>,
          {},
          {{"RefineA"}, {"RefineB"}}};
}

RefineLB::RefineLB(const Parameters& parameters)
    : Strategy("RefineLB", parameters), tolerance_(tolerance_of("RefineLB", parameters)) {}

void RefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  remarks_.clear();
  if (!stats.more_loads.empty()) {
    stats.to_proc = refine_vectors(stats, procs, tolerance_);
    return;
  }
  remarks_ = refine_within(tolerance_, stats, procs, small_effort(procs));
}

}  // namespace plimsoll::balance
