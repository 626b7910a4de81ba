#include <algorithm>
#include <array>
#include <chrono>

#include <plimsoll/balance/comparison.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

/// What a result is judged by; less is better.
std::array<double, 5> criteria(const PlacementQuality& quality) {
  return {quality.summary.max_time_s, quality.work.max, quality.off_rank_bytes,
          static_cast<double>(quality.summary.n_moved), quality.summary.moved_bytes};
}

bool clearly_less(double left, double right) {
  constexpr double rounding = 1e-9;
  return left < right - rounding * std::max(std::abs(left), std::abs(right));
}

void mark_non_dominated(Comparison& comparison) {
  std::vector<const PlacementQuality*> chosen = {&comparison.start};
  for (const StrategyResult& result : comparison.results)
    if (result.failure.empty()) chosen.push_back(&result.quality);
  for (StrategyResult& result : comparison.results) {
    if (!result.failure.empty()) continue;
    result.non_dominated = std::ranges::none_of(
        chosen, [&](const PlacementQuality* other) { return dominates(*other, result.quality); });
  }
}

}  // namespace

PlacementQuality assess(const LDStats& stats, std::span<const std::int32_t> placement,
                        const WorkCoefficients& coefficients) {
  const RankTraffic traffic = rank_traffic(stats, placement);
  return {.summary = summarise(stats, placement),
          .off_rank_bytes = traffic.off_rank_bytes(),
          .off_rank_messages = traffic.off_rank_messages(),
          .work = WorkModel(stats, coefficients).evaluate(placement)};
}

bool dominates(const PlacementQuality& left, const PlacementQuality& right) {
  const auto ours = criteria(left);
  const auto theirs = criteria(right);
  bool better = false;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (clearly_less(theirs[k], ours[k])) return false;
    better = better || clearly_less(ours[k], theirs[k]);
  }
  return better;
}

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

Comparison compare(LDStats& stats, std::span<const std::unique_ptr<Strategy>> strategies,
                   const WorkCoefficients& coefficients, support::Progress& progress) {
  Comparison comparison{
      .bound = lower_bound(stats), .start = assess(stats, stats.from_proc, coefficients), .results = {}};
  const std::vector<std::int32_t> before = stats.to_proc;
  progress.begin("comparing", strategies.size(), "strategies");
  for (const std::unique_ptr<Strategy>& strategy : strategies) {
    try {
      comparison.results.push_back(run(*strategy, stats, coefficients));
    } catch (const support::Error& error) {
      comparison.results.push_back(
          {.strategy = strategy->name(), .parameters = strategy->parameters(), .failure = error.what()});
    }
    stats.to_proc = before;
    progress.advance(1);
  }
  progress.end();
  mark_non_dominated(comparison);
  return comparison;
}

}  // namespace plimsoll::balance
