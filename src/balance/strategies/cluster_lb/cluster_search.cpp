#include "balance/strategies/cluster_lb/cluster_search.hpp"

#include <algorithm>
#include <utility>

#include "balance/search/equal_ranks.hpp"
#include "balance/search/rounding_error.hpp"
#include "balance/strategies/cluster_lb/annealing.hpp"
#include "balance/strategies/cluster_lb/packing.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Initial temperatures, relative to the mean work.
constexpr double hot = 1;
constexpr double warm = 0.003;
// Limit of work / bound: a placement below it is so good that a high temperature is not worth the time and
// the migrations.
constexpr double near = 1.005;

bool has_to_leave(const LDStats& stats, std::size_t object) {
  return stats.obj_data[object].migratable &&
         !stats.procs[static_cast<std::size_t>(stats.from_proc[object])].available;
}

/// Returns from_proc with the objects of unavailable ranks placed, heaviest first, each where it fits and
/// causes minimum work. The result is empty if an object fits nowhere.
std::optional<std::vector<std::int32_t>> evacuated(const LDStats& stats, const WorkGoal& goal) {
  std::vector<std::int32_t> placement = stats.from_proc;
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    if (!has_to_leave(stats, object)) continue;
    leaving.push_back(object);
    placement[object] = WorkState::nowhere;
  }
  if (leaving.empty()) return placement;
  std::ranges::stable_sort(leaving, std::greater(),
                           [&](std::uint32_t object) { return stats.obj_data[object].walltime; });
  WorkState state(stats, goal, placement);
  for (const std::uint32_t object : leaving) {
    std::pair<double, std::int32_t> best{0, WorkState::nowhere};
    for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
      if (!stats.procs[static_cast<std::size_t>(rank)].available) continue;
      state.place(object, rank);
      const std::pair candidate{state.work(rank), rank};
      if (state.fits(rank) && (best.second == WorkState::nowhere || candidate < best)) best = candidate;
      state.take(object);
    }
    if (best.second == WorkState::nowhere) return {};
    state.place(object, best.second);
  }
  return state.placement();
}

}  // namespace

std::vector<std::int32_t> with_fewer_moves(const LDStats& stats, const WorkGoal& goal, double minimum_work,
                                           std::vector<std::int32_t> placement) {
  if (!goal.limits.limit_moves()) placement = relabel_equal_ranks(stats, goal, std::move(placement));
  WorkState state(stats, goal, placement);
  const double allowed = std::max(state.max_work(), minimum_work);
  const double excess = state.memory_excess();
  for (std::uint32_t object = 0; object < placement.size(); ++object) {
    const std::int32_t home = stats.from_proc[object];
    if (placement[object] == home || has_to_leave(stats, object)) continue;
    state.move(object, home);
    const double work = goal.is_load_only() ? state.work(home) : state.max_work();
    if (work > allowed || !state.fits(home) || state.memory_excess() > excess)
      state.move(object, placement[object]);
  }
  return state.placement();
}

std::optional<std::vector<std::int32_t>> search_clusters(const LDStats& stats, const WorkGoal& goal,
                                                         double minimum_work, std::uint64_t seed,
                                                         std::int64_t steps) {
  const std::optional<std::vector<std::int32_t>> start = evacuated(stats, goal);
  if (!start) return {};
  const WorkSummary summary = WorkModel(stats, goal.coefficients, goal.limits).evaluate(*start);
  const double mean_work = summary.sum / static_cast<double>(summary.work.size());
  std::vector<std::int32_t> best = *start;
  Score best_score{goal.score(stats, best)};
  // Anneal a packing or an earlier result at a low temperature, because a high one would undo all of it.
  // Anneal the initial placement at a high temperature too. A packing ignores messages and off-home shared
  // blocks, and may place heavy objects so that only a high temperature migrates them.
  const auto anneal = [&](const std::vector<std::int32_t>& from, double first_work, std::int64_t share) {
    if (best_score <= Score{0, minimum_work * (1 + rounding_error)}) return;
    Annealing annealing(stats, goal, minimum_work, from, seed);
    annealing.run({.steps = steps / share, .first_work = first_work, .last_work = 1e-5 * mean_work});
    // Ignore improvements within rounding errors, which do not justify migrations.
    const Score found = annealing.best_score();
    if (found.first < best_score.first * (1 - rounding_error) ||
        (found.first <= best_score.first && found.second < best_score.second * (1 - rounding_error))) {
      best_score = found;
      best = annealing.best();
    }
  };
  if (!goal.limits.limit_moves())
    if (auto packed = pack(stats, goal, minimum_work))
      anneal(relabel_equal_ranks(stats, goal, std::move(*packed)), warm * mean_work, 2);
  if (best_score > Score{0, near * minimum_work}) anneal(*start, hot * mean_work, 4);
  anneal(best, warm * mean_work, 4);
  return with_fewer_moves(stats, goal, minimum_work, std::move(best));
}

}  // namespace plimsoll::balance
