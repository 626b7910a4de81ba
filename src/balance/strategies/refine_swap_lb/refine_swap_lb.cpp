#include "balance/strategies/refine_swap_lb/refine_swap_lb.hpp"

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>

#include "balance/strategies/refine_lb/refine_within.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

StrategyInfo RefineSwapLB::info() {
  return {"RefineSwapLB",
          "best balance for few objects per rank: migrates and swaps objects, and splits the objects of two "
          "ranks optimally",
          {{"tolerance", 1.00001, "target maximum load relative to the lower bound (>= 1)"},
           {"seed", std::int64_t{1}, "random seed of the swaps that escape from local optima"},
           {"effort", std::int64_t{20'000}, "maximum number of splits of two ranks to try (>= 0)"}},
          make_strategy<RefineSwapLB>,
          {.communication = false, .numbers = false}};
}

RefineSwapLB::RefineSwapLB(const Parameters& parameters)
    : Strategy("RefineSwapLB", parameters),
      tolerance_(tolerance_of("RefineSwapLB", parameters)),
      seed_(parameters.get<std::int64_t>("seed")),
      effort_(parameters.get<std::int64_t>("effort")) {
  if (effort_ < 0) throw invalid_parameter("RefineSwapLB", "effort", effort_, "use a number >= 0");
}

void RefineSwapLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  target_ = refine_within(
      tolerance_, stats, procs,
      {.max_splits = static_cast<std::uint64_t>(effort_), .seed = static_cast<std::uint64_t>(seed_)});
}

}  // namespace plimsoll::balance
