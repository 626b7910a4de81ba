#include "pelayout/analysis/estimator.hpp"

#include <algorithm>
#include <iterator>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

KnownRuns known_runs(const Planner& planner, std::span<const TimingFile> runs) {
  std::vector<TimingFile> fitting;
  std::ranges::copy_if(runs, std::back_inserter(fitting),
                       [&](const TimingFile& run) { return fits_kinds_of_nodes(planner, run); });
  return {reproduce(planner, fitting), own_layouts(planner, fitting)};
}

ExpectedTime Estimator::expected(const Solution& solution, std::int64_t total) {
  if (!models_ || planner_.options().model != ModelKind::fit) models_.emplace(planner_, total);
  return expected_time(solution, models_->time(solution), runs_, total);
}

}  // namespace plimsoll::pelayout
