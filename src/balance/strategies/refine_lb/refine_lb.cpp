#include "balance/strategies/refine_lb/refine_lb.hpp"

#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>

#include "balance/strategies/refine_lb/refine_within.hpp"
#include "balance/vector_loads/level_vectors.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Refines the placement in all load dimensions. Returns the target.
double refine_vectors(LDStats& stats, const ProcArray& procs, double tolerance) {
  const VectorLoads loads(stats, procs);
  const double target = tolerance * std::max(1.0, loads.bound());
  VectorRanks ranks(stats, procs, loads, stats.from_proc);
  if (procs.must_evacuate()) evacuate_vectors(ranks);
  level_vectors(ranks, target);
  stats.to_proc = ranks.take_placement();
  return target;
}

}  // namespace

StrategyInfo RefineLB::info() {
  return {"RefineLB",
          "good balance with few migrations: only load above the target migrates",
          {{"tolerance", 1.0005, "target maximum load relative to the lower bound (>= 1)", {"overload"}}},
          make_strategy<RefineLB>,
          {.communication = false, .numbers = false},
          {{"RefineA"}, {"RefineB"}}};
}

RefineLB::RefineLB(const Parameters& parameters)
    : Strategy("RefineLB", parameters), tolerance_(tolerance_of("RefineLB", parameters)) {}

void RefineLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  target_ = stats.more_loads.empty() ? refine_within(tolerance_, stats, procs, small_effort(procs))
                                     : refine_vectors(stats, procs, tolerance_);
}

}  // namespace plimsoll::balance
