#include <chrono>

#include <plimsoll/balance/decision.hpp>

namespace plimsoll::inline v0_1::balance {

StrategyResult run(Strategy& strategy, LDStats& stats, const WorkCoefficients& coefficients) {
  const auto begin = std::chrono::steady_clock::now();
  strategy.work(stats);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return {.strategy = strategy.name(),
          .parameters = strategy.parameters(),
          .failure = {},
          .quality = assess(stats, stats.to_proc, coefficients),
          .decision_s = elapsed.count(),
          .remarks = strategy.remarks()};
}

Decision decide(const lbdata::Dataset& dataset, Strategy& strategy, const PhaseRequest& request) {
  const WorkCoefficients work = request.work.value_or(WorkCoefficients());
  DatasetPhase phase = load_phase(dataset, request, strategy.needs());
  const Bound bound = lower_bound(phase.stats);
  Quality before = assess(phase.stats, phase.stats.from_proc, work);
  StrategyResult result = run(strategy, phase.stats, work);
  return {
      .phase = std::move(phase), .bound = bound, .before = std::move(before), .result = std::move(result)};
}

Decision decide(const lbdata::Dataset& dataset, const StrategySpec& strategy, const PhaseRequest& request) {
  return decide(dataset, *make_strategy(strategy, request.work), request);
}

}  // namespace plimsoll::balance
