#include "balance/strategies/cluster_lb/cluster_lb.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "balance/search/assignment.hpp"
#include "balance/search/cluster_refinement.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"
#include "balance/strategies/builtin.hpp"
#include "balance/strategies/cluster_lb/annealing.hpp"
#include "balance/strategies/cluster_lb/packing.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Initial temperatures, relative to the mean work.
constexpr double hot = 1;
constexpr double warm = 0.015;
// Limit of work / bound: a placement below it is so good that a high temperature is not worth the time and
// the migrations.
constexpr double near = 1.005;
// Limit of work / bound below which ClusterLB ends its search: a better balance would cost many migrations.
constexpr double good_enough_work = 1.0001;

}  // namespace

std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double minimum_work,
                                           std::vector<std::int32_t> placement, TotalWork total_work) {
  if (!goal.limits.limit_moves()) placement = relabel_equal_ranks(stats, goal, std::move(placement));
  WorkState state(stats, goal, placement);
  const double allowed = std::max(state.max_work(), minimum_work);
  const double excess = state.memory_excess();
  const bool keep_total = total_work == TotalWork::keep;
  const double total = state.total_work() * (1 + rounding_error);
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    const std::int32_t home = stats.from_proc[object];
    if (placement[object] == home || has_to_leave(stats, object)) continue;
    state.move(object, home);
    const double work = goal.is_load_only() ? state.work(home) : state.max_work();
    if (work > allowed || !state.fits(home) || state.memory_excess() > excess ||
        (keep_total && state.total_work() > total))
      state.move(object, placement[object]);
  }
  return state.placement();
}

std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double minimum_work, double sufficient_work,
                                                         std::uint64_t seed, std::int64_t effort) {
  PLIMSOLL_EXPECT(stats.n_migrateobjs() == 0 || std::ranges::any_of(stats.procs, &ProcStats::available));
  const std::optional<std::vector<std::int32_t>> start = evacuated(stats, goal);
  if (!start) return {};
  const WorkSummary summary = WorkModel(stats, goal.coefficients, goal.limits).evaluate(*start);
  const double mean_work = summary.sum / static_cast<double>(summary.work.size());
  std::vector<std::int32_t> best = *start;
  Score best_score{goal.score(stats, best)};
  // Anneal a packing or an earlier result at a low temperature, because a high one would undo all of it.
  // Anneal the initial placement at a high temperature too. A packing ignores messages and off-home shared
  // blocks, and may place heavy objects so that only a high temperature migrates them.
  const auto improve = [&](std::span<const std::int32_t> from, double first_work, std::int64_t share) {
    if (best_score <= Score{0, minimum_work * (1 + rounding_error)}) return;
    Annealed found =
        anneal(stats, goal, minimum_work, from, seed,
               {.effort = effort / share, .first_work = first_work, .last_work = 1e-5 * mean_work});
    // Ignore improvements within rounding errors, which do not justify migrations.
    if (found.score.first < best_score.first * (1 - rounding_error) ||
        (found.score.first <= best_score.first &&
         found.score.second < best_score.second * (1 - rounding_error))) {
      best_score = found.score;
      best = std::move(found.placement);
    }
  };
  std::optional<std::vector<std::int32_t>> packed;
  if (!goal.limits.limit_moves()) packed = pack(stats, goal, minimum_work);
  if (packed) {
    if (goal.is_load_only()) packed = refine_clusters(stats, goal, sufficient_work, *packed);
    if (goal.score(stats, *packed) <= std::min(best_score, Score{0, sufficient_work}))
      return with_fewer_moves(stats, goal, sufficient_work, std::move(*packed));
    improve(*packed, warm * mean_work, 4);
  }
  if (best_score > Score{0, near * minimum_work}) improve(*start, hot * mean_work, 2);
  improve(best, warm * mean_work, 4);
  return with_fewer_moves(stats, goal, minimum_work, std::move(best));
}

/// Minimises the maximum work per rank (WorkModel) under memory limits, and keeps objects of one shared block
/// together. It migrates and swaps whole clusters of them, and splits clusters if that improves the result.
/// One thread.
class ClusterLB : public Strategy {
 public:
  explicit ClusterLB(const Parameters& parameters)
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

  void work(LDStats& stats) override {
    ProcArray(stats).require_available();
    const double minimum_work = max_work_lower_bound(stats, goal_);
    auto placement =
        search_clusters(stats, goal_, minimum_work, good_enough_work * minimum_work, seed_, effort_);
    if (!placement || !within(goal_.limits, stats, *placement)) throw cannot_evacuate();
    stats.to_proc = std::move(*placement);
  }

  Score score(const LDStats& stats, std::span<const std::int32_t> placement) const override {
    return goal_.score(stats, placement);
  }
  ScoreTerms score_terms() const override { return {ScoreTerms::Kind::own}; }

 private:
  WorkGoal goal_;
  std::uint64_t seed_;
  std::int64_t effort_;
};

StrategyInfo cluster_lb_info() {
  std::vector<ParameterSpec> parameters = WorkGoal::parameters();
  parameters.push_back({"max_blocks_per_rank", std::int64_t{-1},
                        "maximum number of distinct shared blocks per rank (-1: no limit)"});
  parameters.push_back({"effort", std::int64_t{2'000'000}, "number of migrations and swaps to try (>= 0)"});
  parameters.push_back({"seed", std::int64_t{0}, "random seed"});
  return {.name = "ClusterLB",
          .help =
              "minimises the maximum work per rank under memory limits; keeps objects that share a block "
              "together",
          .parameters = std::move(parameters),
          .make = make_strategy<ClusterLB>,
          .needs = {.memory = true},
          .trade_off = {"max_moves", {"1024", "256", "64", "16", "4", "1"}}};
}

}  // namespace plimsoll::balance
