#include "pelayout/analysis/estimator.hpp"

#include <algorithm>
#include <cmath>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Relative gain of expected time for which a solution replaces the planner's, which is easier to explain.
constexpr double smallest_gain = 0.01;

}  // namespace

KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs) {
  return {reproduce(planner, runs), own_layouts(planner, runs)};
}

ExpectedTime Estimator::expected(const Solution& solution, std::int64_t total) {
  UncertainModels& models_of_total = models(total);
  ExpectedTime expected =
      expected_time(planner_.layout().expression, solution, models_of_total.time(solution), runs_, total);
  expected.range.min = std::clamp(models_of_total.shortest_time(solution), expected.range.min, expected.time);
  return expected;
}

Expectation Estimator::best(const Solution& of_planner, std::int64_t total) {
  const double minimum = of_planner.time;
  Expectation best = {of_planner, expected(of_planner, total)};
  const PlanOptions& options = planner_.options();
  const bool may_gain = best.expected.by_models > minimum / (1 - worthwhile_gain);
  if (!may_gain || options.exact_sum || options.model == ModelKind::cime) return best;
  double limit = (1 - smallest_gain) * best.expected.time;
  for (const Place& place : of_planner.places)
    for (const double errors : {0.5, 1.0, 2.0}) {
      std::optional<Solution> solution = cautious(place, errors, total);
      if (!solution) continue;
      ExpectedTime its_time = expected(*solution, total);
      if (its_time.time >= limit) continue;
      limit = its_time.time;
      best = {std::move(*solution), std::move(its_time)};
    }
  return best;
}

/// Returns the best solution in which a component has the count that is optimal if it takes longer by a
/// number of standard errors of its cost. Its times are those of the models.
std::optional<Solution> Estimator::cautious(const Place& uncertain, double errors, std::int64_t total) {
  const UncertainTime cost = models(total).cost(uncertain.component, uncertain.tasks, uncertain.threads);
  if (cost.mean <= 0 || cost.variance <= 0) return std::nullopt;
  Layout layout = planner_.layout();
  double& overhead = layout.rules[uncertain.component].overhead;
  overhead = (1 + overhead) * (1 + errors * std::sqrt(cost.variance) / cost.mean) - 1;
  const PlanOptions& options = planner_.options();
  const auto slower = Planner(planner_.problem(), layout, options).solve_each({total}).front();
  if (!slower) return std::nullopt;
  layout = planner_.layout();
  layout.rules[uncertain.component].fixed = slower->find(uncertain.component)->tasks;
  return Planner(planner_.problem(), layout, options).solve_each({total}).front();
}

UncertainModels& Estimator::models(std::int64_t total) {
  if (!models_ || planner_.options().model != ModelKind::fit) models_.emplace(planner_, total);
  return *models_;
}

}  // namespace plimsoll::pelayout
