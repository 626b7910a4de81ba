#include "balance/strategies/optimal_lb/optimal_lb.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "balance/search/work_bound.hpp"
#include "balance/strategies/cluster_lb/cluster_search.hpp"
#include "balance/strategies/optimal_lb/branch_and_bound.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns the number of annealing steps for the initial solution, at most the maximum number of tree nodes.
/// In problems that the search can solve, the initial solution is then nearly always optimal.
std::int64_t effort_of_start(const LDStats& stats, std::int64_t max_nodes) {
  return std::min({4000 * std::int64_t{stats.n_objs()}, std::int64_t{1'000'000}, max_nodes});
}

}  // namespace

StrategyInfo OptimalLB::info() {
  std::vector<ParameterSpec> parameters = WorkGoal::parameters();
  parameters.push_back(
      {"max_nodes", std::int64_t{10'000'000}, "maximum number of partial placements to examine"});
  parameters.push_back(
      {"time_limit_s", 5.0, "maximum search time in seconds; if reached, results may vary between runs"});
  return {
      .name = "OptimalLB",
      .help = "minimises the maximum work per rank by exact branch and bound, with a proof; for small cases",
      .parameters = std::move(parameters),
      .make = make_strategy<OptimalLB>,
      .needs = {.memory = true}};
}

OptimalLB::OptimalLB(const Parameters& parameters)
    : Strategy("OptimalLB", parameters),
      goal_("OptimalLB", parameters),
      max_nodes_(parameters.get<std::int64_t>("max_nodes")),
      time_limit_s_(parameters.get<double>("time_limit_s")) {
  if (max_nodes_ < 0 || !(time_limit_s_ >= 0))
    throw support::usage_error(
        fmt::format("invalid max_nodes {} or time_limit_s {} of OptimalLB: both must be >= 0", max_nodes_,
                    time_limit_s_),
        "use numbers >= 0");
}

void OptimalLB::work(LDStats& stats) {
  ProcArray(stats).require_available();
  const double minimum_work = max_work_lower_bound(stats, goal_.coefficients);
  BranchAndBound tree(stats, goal_, minimum_work, {.max_nodes = max_nodes_, .time_limit_s = time_limit_s_});
  if (auto start = search_clusters(stats, goal_, minimum_work, 0, effort_of_start(stats, max_nodes_));
      start && within(goal_.limits, stats, *start))
    tree.start_with(std::move(*start));
  tree.run();
  if (tree.best().empty() && stats.n_objs() > 0) throw cannot_evacuate();
  proven_bound_ = tree.proven_work();
  maximum_work_ = tree.best_score().second;
  stats.to_proc = with_fewer_moves(stats, goal_, 0, tree.best());
}

std::vector<Remark> OptimalLB::remarks() const {
  std::string text = "This placement is optimal: no placement within the limits has a smaller maximum work.";
  if (maximum_work_ > proven_bound_ * (1 + 1e-9)) {
    text = proven_bound_ > 0
               ? fmt::format("Proved within {} % of the optimum: no placement has a maximum work below {}.",
                             support::format_number(100 * (maximum_work_ / proven_bound_ - 1)),
                             support::format_seconds(proven_bound_))
               : "This placement may not be optimal: the search proved no lower bound above 0 s.";
  }
  return {{"proven_bound", proven_bound_, text}};
}

}  // namespace plimsoll::balance
