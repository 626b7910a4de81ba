#include <algorithm>
#include <exception>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
  Comparison comparison{
      .bound = lower_bound(stats), .start = assess(stats, stats.from_proc, coefficients), .results = {}};
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
  DatasetPhase phase = load_phase(dataset, request, needs);
  Comparison comparison =
      compare(phase.stats, strategies, request.work.value_or(WorkCoefficients()), progress);
  return {std::move(phase), std::move(comparison)};
}

PhaseComparison compare(const lbdata::Dataset& dataset, std::span<const StrategySpec> strategies,
                        const PhaseRequest& request, support::Progress& progress) {
  return compare(dataset, make_strategies(strategies, {}, request.work), request, progress);
}

}  // namespace plimsoll::balance
