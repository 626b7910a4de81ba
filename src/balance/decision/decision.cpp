#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/replicated_stats.hpp>

#include "balance/database/phase_records.hpp"
#include "balance/search/memory_bound.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Relative distance to a target that no user sees; searches stop there (RefineContext::near).
constexpr double near_target = 1e-6;

DatasetPhase requested_phase(const lbdata::Dataset& dataset, const PhaseRequest& request,
                             const StrategyNeeds& needs) {
  PhaseColumns columns = request.columns;
  const std::int64_t id = request.phase ? *request.phase : last_complete_phase(dataset);
  columns.memory = columns.memory || needs.memory || mention_memory(phase_records(dataset, id));
  columns.positions = columns.positions || needs.positions;
  columns.background = request.background;
  DatasetPhase phase = load_phase(dataset, id, columns);
  // Without a work model, work is load.
  if (!request.work)
    for (ProcStats& proc : phase.stats.procs) proc.rank_alpha = 1;
  apply_load_model(dataset, phase, *make_load_model(request.load_model));
  if (request.simulate_ranks) {
    phase.stats = replicated(phase.stats, *request.simulate_ranks);
    phase.locations.clear();
    phase.edge_objects.clear();
  }
  return phase;
}

std::optional<double> work_bound(const LDStats& stats, const PhaseRequest& request) {
  if (!request.work) return {};
  WorkGoal goal;
  goal.coefficients = *request.work;
  return max_work_lower_bound(stats, goal);
}

}  // namespace

std::vector<Remark> remarks_on(const Strategy& strategy, const LDStats& stats) {
  std::vector<Remark> remarks = strategy.remarks();
  if (!stats.subphases.empty() && strategy.minimises_score() && !strategy.needs().subphases)
    remarks.insert(
        remarks.begin(),
        {"ignored_subphases", static_cast<double>(stats.subphases.count - 1),
         "The loads of whole phases were balanced, although the ranks synchronise after each subphase."});
  if (strategy.target() <= 0) return remarks;
  const double score = strategy.score(stats, stats.to_proc).first;
  const bool is_excess = strategy.score_terms().kind == ScoreTerms::Kind::communication;
  const double reached = is_excess ? strategy.target() + score : score;
  if (reached <= strategy.target() * (1 + near_target)) return remarks;
  remarks.push_back({"missed_target_imbalance", strategy.target() - 1,
                     fmt::format("Missed the target: the imbalance is {:.4f}, the target is {:.4f}.",
                                 reached - 1, strategy.target() - 1)});
  return remarks;
}

StrategyResult run(Strategy& strategy, LDStats& stats, const WorkCoefficients& coefficients) {
  const auto begin = std::chrono::steady_clock::now();
  strategy.work(stats);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {.strategy = strategy.name(),
          .parameters = strategy.parameters(),
          .failure = {},
          .quality = assess(stats, stats.to_proc, coefficients),
          .rank_loads_s = finish_times(stats, stats.to_proc),
          .decision_s = elapsed.count(),
          .remarks = remarks_on(strategy, stats)};
}

Decision decide(const lbdata::Dataset& dataset, Strategy& strategy, const PhaseRequest& request) {
  const WorkCoefficients work = request.work.value_or(WorkCoefficients());
  DatasetPhase phase = requested_phase(dataset, request, strategy.needs());
  const Bound bound = lower_bound(phase.stats);
  const std::optional<double> bound_of_work = work_bound(phase.stats, request);
  Quality before = assess(phase.stats, phase.stats.from_proc, work);
  StrategyResult result = run(strategy, phase.stats, work);
  return {.phase = std::move(phase),
          .bound = bound,
          .work_bound = bound_of_work,
          .before = std::move(before),
          .result = std::move(result)};
}

Decision decide(const lbdata::Dataset& dataset, const StrategySpec& strategy, const PhaseRequest& request) {
  return decide(dataset, *make_strategy(strategy, request.work), request);
}

namespace {

void mark_non_dominated(Comparison& comparison) {
  std::vector<const Quality*> chosen = {&comparison.start};
  for (const StrategyResult& result : comparison.results)
    if (result.failure.empty()) chosen.push_back(&result.quality);
  for (StrategyResult& result : comparison.results) {
    if (!result.failure.empty()) continue;
    result.non_dominated =
        std::ranges::none_of(chosen, [&](const Quality* other) { return dominates(*other, result.quality); });
  }
}

}  // namespace

Comparison compare(LDStats& stats, std::span<const std::unique_ptr<Strategy>> strategies,
                   const WorkCoefficients& coefficients, support::Progress& progress) {
  Comparison comparison{.bound = lower_bound(stats),
                        .work_bound = {},
                        .start = assess(stats, stats.from_proc, coefficients),
                        .results = {}};
  const std::vector<std::int32_t> before = stats.to_proc;
  std::exception_ptr first_failure;
  progress.begin("comparing", strategies.size(), "strategies");
  for (const std::unique_ptr<Strategy>& strategy : strategies) {
    try {
      comparison.results.push_back(run(*strategy, stats, coefficients));
    } catch (const support::Error& error) {
      if (!first_failure) first_failure = std::current_exception();
      comparison.results.push_back(
          {.strategy = strategy->name(), .parameters = strategy->parameters(), .failure = error.what()});
    }
    stats.to_proc = before;
    progress.advance(1);
  }
  progress.end();
  const auto failed = [](const StrategyResult& result) { return !result.failure.empty(); };
  if (first_failure && std::ranges::all_of(comparison.results, failed)) std::rethrow_exception(first_failure);
  mark_non_dominated(comparison);
  return comparison;
}

PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const std::unique_ptr<Strategy>> strategies,
                        const PhaseRequest& request, support::Progress& progress) {
  StrategyNeeds needs;
  for (const std::unique_ptr<Strategy>& strategy : strategies)
    needs = {.memory = needs.memory || strategy->needs().memory,
             .positions = needs.positions || strategy->needs().positions};
  DatasetPhase phase = requested_phase(dataset, request, needs);
  Comparison comparison =
      compare(phase.stats, strategies, request.work.value_or(WorkCoefficients()), progress);
  comparison.work_bound = work_bound(phase.stats, request);
  return {std::move(phase), std::move(comparison)};
}

PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const StrategySpec> strategies,
                        const PhaseRequest& request, support::Progress& progress) {
  return compare(dataset, make_strategies(strategies, {}, request.work), request, progress);
}

}  // namespace plimsoll::balance
