#include <fmt/format.h>

#include <chrono>
#include <utility>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

// Relative rounding error of scores.
constexpr double score_error = 1e-9;

}  // namespace

std::vector<Remark> remarks_on(const Strategy& strategy, const LDStats& stats) {
  std::vector<Remark> remarks = strategy.remarks();
  if (strategy.target() <= 0) return remarks;
  const double reached = strategy.score(stats, stats.to_proc).first;
  if (reached <= strategy.target() * (1 + score_error)) return remarks;
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
