#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

// Descriptions of the strategies that come with Plimsoll, each defined in the source of the strategy.
StrategyInfo block_lb_info();
StrategyInfo cluster_lb_info();
StrategyInfo comm_aware_refine_lb_info();
StrategyInfo diffusion_lb_info();
StrategyInfo distributed_orb_lb_info();
StrategyInfo graph_part_lb_info();
StrategyInfo greedy_lb_info();
StrategyInfo greedy_refine_lb_info();
StrategyInfo hierarchical_lb_info();
StrategyInfo no_lb_info();
StrategyInfo optimal_lb_info();
StrategyInfo orb_lb_info();
StrategyInfo prescribed_lb_info();
StrategyInfo random_lb_info();
StrategyInfo rec_bipart_lb_info();
StrategyInfo refine_lb_info();
StrategyInfo refine_swap_lb_info();
StrategyInfo rotate_lb_info();
StrategyInfo space_filling_curve_lb_info();
StrategyInfo tempered_lb_info();

/// Runs another strategy with the given parameters, defaults for the others, and no limits.
inline void delegate_to(const StrategyInfo& strategy, LDStats& stats, const ParameterMap& given = {}) {
  std::vector<ParameterSpec> parameters = strategy.parameters;
  parameters.insert(parameters.end(), Limits::parameters().begin(), Limits::parameters().end());
  strategy.make(Parameters(strategy.name, parameters, given))->work(stats);
}

/// Runs RefineLB; a tolerance below 1 counts as 1.
inline void delegate_to_refinement(LDStats& stats, double tolerance) {
  const double in_range = std::clamp(tolerance, 1.0, std::numeric_limits<double>::max());
  delegate_to(refine_lb_info(), stats, {{"tolerance", fmt::format("{}", in_range)}});
}

/// Restores from_proc unless to_proc scores better, or objects had to leave a processor.
inline void keep_start_unless_better(const Strategy& strategy, const ProcArray& procs, LDStats& stats) {
  if (!procs.must_evacuate() &&
      strategy.score(stats, stats.to_proc) >= strategy.score(stats, stats.from_proc))
    stats.to_proc = stats.from_proc;
}

}  // namespace plimsoll::balance
