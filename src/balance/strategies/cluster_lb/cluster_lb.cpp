#include "balance/strategies/cluster_lb/cluster_lb.hpp"

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/parameters.hpp>

#include "balance/search/work_bound.hpp"
#include "balance/strategies/cluster_lb/cluster_search.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

StrategyInfo ClusterLB::info() {
  std::vector<ParameterSpec> parameters = WorkGoal::parameters();
  parameters.push_back({"max_blocks_per_rank", std::int64_t{-1},
                        "maximum number of distinct shared blocks per rank (-1: no limit)"});
  parameters.push_back({"effort", std::int64_t{2'000'000}, "number of swaps to try (>= 0)"});
  parameters.push_back({"seed", std::int64_t{0}, "random seed"});
  return {.name = "ClusterLB",
          .help =
              "minimises the maximum work per rank under memory limits; keeps objects that share a block "
              "together",
          .parameters = std::move(parameters),
          .make = make_strategy<ClusterLB>,
          .needs = {.memory = true}};
}

ClusterLB::ClusterLB(const Parameters& parameters)
    : Strategy("ClusterLB", parameters),
      goal_("ClusterLB", parameters),
      seed_(static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"))),
      effort_(parameters.get<std::int64_t>("effort")) {
  goal_.max_blocks = parameters.get<std::int64_t>("max_blocks_per_rank");
  if (goal_.max_blocks < -1)
    throw invalid_parameter("ClusterLB", "max_blocks_per_rank", goal_.max_blocks,
                            "use a number >= 0, or -1 for no limit");
  if (effort_ < 0) throw invalid_parameter("ClusterLB", "effort", effort_, "use a number >= 0");
}

void ClusterLB::work(LDStats& stats) {
  ProcArray(stats).require_available();
  const double minimum_work = max_work_lower_bound(stats, goal_.coefficients);
  auto placement = search_clusters(stats, goal_, minimum_work, seed_, effort_);
  if (!placement || !within(goal_.limits, stats, *placement)) throw cannot_evacuate();
  stats.to_proc = std::move(*placement);
}

}  // namespace plimsoll::balance
