#include "balance/strategies/refine_swap_lb/refine_swap_lb.hpp"

#include <fmt/format.h>

#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/tolerance.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/strategies/refine_lb/refine_within.hpp"
#include "balance/strategies/refine_swap_lb/pair_search.hpp"

namespace plimsoll::inline v0_1::balance {

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
  if (effort_ < 0)
    throw support::usage_error(
        fmt::format("invalid value {} for parameter \"effort\" of RefineSwapLB", effort_), "use 0 or more");
}

void RefineSwapLB::work(LDStats& stats) {
  const ProcArray procs(stats);
  procs.require_available();
  refine_within(tolerance_, stats, procs, [&](RankObjects& ranks, double target_s) {
    PairSearch(ranks, target_s, static_cast<std::uint64_t>(seed_)).run(static_cast<std::uint64_t>(effort_));
  });
}

}  // namespace plimsoll::balance
