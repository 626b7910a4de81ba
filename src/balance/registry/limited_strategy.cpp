#include "balance/registry/limited_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <plimsoll/support/internal/format.hpp>

#include "balance/limits/compare_scores.hpp"
#include "balance/limits/move_selection.hpp"
#include "balance/limits/needless_moves.hpp"
#include "balance/search/loads.hpp"
#include "balance/search/memory_bound.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

Remark above_limit(const char* what, std::int64_t count, const char* limit) {
  return {fmt::format("{}s_above_memory_limit", what), static_cast<double>(count),
          fmt::format("{} {} {} more memory than {}, because {} did so before balancing.", count,
                      count == 1 ? what : fmt::format("{}s", what), count == 1 ? "uses" : "use", limit,
                      count == 1 ? "it" : "they")};
}

// Relative difference of two lower bounds up to which they are equal.
constexpr double bound_error = 1e-9;

/// Returns remarks on the lower bound, if it is higher because of the limits, and on the ranks and nodes that
/// use more memory than the limits. They did so at from_proc, because apply_limits() permits no other excess.
std::vector<Remark> remarks_on(const Limits& limits, const LDStats& stats) {
  if (!limits.limit_memory() || stats.memory.empty()) return {};
  const MemoryUse use(stats, stats.to_proc, limits.count_serialized);
  std::int64_t n_ranks = 0;
  std::int64_t n_nodes = 0;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    if (use.of_rank(rank) > limits.max_memory_bytes * (1 + rounding_error)) ++n_ranks;
    if (use.is_first_of_node(rank) && use.of_node(rank) > limits.max_node_memory_bytes * (1 + rounding_error))
      ++n_nodes;
  }
  std::vector<Remark> remarks;
  const double bound_s = max_work_lower_bound(stats, WorkGoal::of_time(limits));
  if (bound_s > lower_bound(stats).time_s * (1 + bound_error))
    remarks.push_back({"memory_bound_s", bound_s,
                       fmt::format("No placement within the memory limits has a maximum load below {}.",
                                   support::format_seconds(bound_s))});
  if (n_ranks > 0) remarks.push_back(above_limit("rank", n_ranks, "max_memory_bytes"));
  if (n_nodes > 0) remarks.push_back(above_limit("node", n_nodes, "max_node_memory_bytes"));
  return remarks;
}

/// Returns the maximum load that a strategy aims at: its target, or the load that its score counts as
/// balanced.
double target_of(const Strategy& strategy, const LDStats& stats) {
  const ScoreTerms terms = strategy.score_terms();
  if (terms.kind != ScoreTerms::Kind::communication) return strategy.target();
  const ProcArray procs(stats);
  const double average_s = procs.average_load();
  return average_s > 0 ? std::max(terms.tolerance, finish_time_bound(stats, procs).time_s / average_s) : 0;
}

/// Placement with the criteria by which it is chosen.
struct Candidate {
  std::vector<std::int32_t> placement;
  Score score;
  std::int64_t n_moved = 0;

  bool is_better_than(const Candidate& other, double target) const {
    const auto beyond_target = [&](const Score& value) {
      return Score{std::max(value.first, target), value.second};
    };
    const auto order = compare_scores(beyond_target(score), beyond_target(other.score));
    if (order != std::weak_ordering::equivalent) return order == std::weak_ordering::less;
    if (n_moved != other.n_moved) return n_moved < other.n_moved;
    return score < other.score;
  }
};

}  // namespace

LimitedStrategy::LimitedStrategy(std::unique_ptr<Strategy> strategy, const Parameters& parameters,
                                 const Limits& limits, std::vector<std::unique_ptr<Strategy>> alternatives,
                                 bool keeps_shape)
    : Strategy(strategy->name(), parameters),
      strategy_(std::move(strategy)),
      limits_(limits),
      alternatives_(std::move(alternatives)),
      keeps_shape_(keeps_shape) {}

/// Returns the placement of a strategy without needless migrations. Restores stats.to_proc.
std::vector<std::int32_t> LimitedStrategy::plan(Strategy& strategy, LDStats& stats) const {
  std::vector<std::int32_t> before = stats.to_proc;
  strategy.work(stats);
  std::vector<std::int32_t> placement = std::exchange(stats.to_proc, std::move(before));
  if (!keeps_shape_) take_back_needless_moves(*strategy_, limits_, stats, placement);
  return placement;
}

std::vector<std::int32_t> LimitedStrategy::best_of_all(LDStats& stats,
                                                       const std::vector<std::int32_t>& first) const {
  ScoreFunction function(score_terms());
  if (function.terms.kind == ScoreTerms::Kind::own)
    function.own = [&](const std::vector<std::int32_t>& placement) { return score(stats, placement); };
  // Excesses above a target are scores of 0.
  const double target = function.terms.kind == ScoreTerms::Kind::communication ? 0 : target_;
  const auto candidate = [&](const std::vector<std::int32_t>& placement) {
    Candidate result{best_part_within(limits_, stats, function, target, placement), {}, 0};
    result.score = score(stats, result.placement);
    for (std::size_t object = 0; object < placement.size(); ++object)
      result.n_moved += result.placement[object] != stats.from_proc[object] ? 1 : 0;
    return result;
  };
  Candidate best = candidate(first);
  for (const std::unique_ptr<Strategy>& alternative : alternatives_) {
    std::vector<std::int32_t> placement;
    try {
      placement = plan(*alternative, stats);
    } catch (const support::Error&) {
      continue;  // an alternative with fewer migrations may be unable to evacuate ranks
    }
    if (placement == stats.from_proc) continue;
    if (Candidate other = candidate(placement); other.is_better_than(best, target)) best = std::move(other);
  }
  return std::move(best.placement);
}

/// Restores from_proc unless `placement` scores better, or not worse if the strategy minimises nothing.
void LimitedStrategy::keep_start_unless_better(const LDStats& stats,
                                               std::vector<std::int32_t>& placement) const {
  if (ProcArray(stats).must_evacuate()) return;
  const Score start = score(stats, stats.from_proc);
  const Score reached = score(stats, placement);
  const bool minimises = score_terms().kind != ScoreTerms::Kind::none;
  if (minimises ? reached >= start : reached > start) placement = stats.from_proc;
}

void LimitedStrategy::work(LDStats& stats) {
  require_sizes(limits_, stats);
  if (!limits_.any()) {
    strategy_->work(stats);
    target_ = target_of(*strategy_, stats);
    if (!keeps_shape_ && take_back_needless_moves(*strategy_, limits_, stats, stats.to_proc))
      keep_start_unless_better(stats, stats.to_proc);
    return;
  }
  std::vector<std::int32_t> placement = plan(*strategy_, stats);
  target_ = target_of(*strategy_, stats);
  const bool minimises = score_terms().kind != ScoreTerms::Kind::none;
  if ((minimises && limits_.limit_moves()) || !within(limits_, stats, placement))
    placement = best_of_all(stats, placement);
  keep_start_unless_better(stats, placement);
  stats.to_proc = std::move(placement);
  limit_remarks_ = remarks_on(limits_, stats);
}

std::vector<Remark> LimitedStrategy::remarks() const {
  std::vector<Remark> remarks = strategy_->remarks();
  remarks.insert(remarks.end(), limit_remarks_.begin(), limit_remarks_.end());
  return remarks;
}

}  // namespace plimsoll::balance
