#include "pelayout/analysis/estimator.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs) {
  return {reproduce(planner, runs), own_layouts(planner, runs)};
}

ExpectedTime Estimator::expected(const Solution& solution, std::int64_t total) {
  if (!models_ || planner_.options().model != ModelKind::fit) models_.emplace(planner_, total);
  return expected_time(planner_.layout().expression, solution, models_->time(solution), runs_, total);
}

}  // namespace plimsoll::pelayout
