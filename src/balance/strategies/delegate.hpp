#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/balance/proc_array.hpp>
#include <plimsoll/balance/strategy_registry.hpp>

#include "balance/strategies/refine_lb/refine_lb.hpp"

namespace plimsoll::inline v0_1::balance {

/// Lets another strategy decide, with the parameters given and the defaults of the others, without limits.
template <typename Class>
void delegate_to(LDStats& stats, const ParameterMap& given = {}) {
  const StrategyInfo info = Class::info();
  Class(Parameters(info.name, info.parameters, given)).work(stats);
}

/// Lets RefineLB decide, with a tolerance that need not be in its range: below 1 counts as 1.
inline void delegate_to_refinement(LDStats& stats, double tolerance) {
  const double in_range = std::clamp(tolerance, 1.0, std::numeric_limits<double>::max());
  delegate_to<RefineLB>(stats, {{"tolerance", fmt::format("{}", in_range)}});
}

/// Leaves objects at from_proc unless to_proc scores better, or objects had to leave a processor.
inline void keep_start_unless_better(const Strategy& strategy, const ProcArray& procs, LDStats& stats) {
  if (!procs.must_evacuate() &&
      strategy.score(stats, stats.to_proc) >= strategy.score(stats, stats.from_proc))
    stats.to_proc = stats.from_proc;
}

}  // namespace plimsoll::balance
