#include "pelayout/analysis/time_range.hpp"

#include <algorithm>
#include <cmath>

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/analysis/uncertainty.hpp"
#include "pelayout/models/find_model.hpp"

namespace plimsoll::inline v0_1::pelayout {

namespace {

/// Multiple of Uncertainty::share() that exceeds 90 % of the errors for left-out points of 15 real curves,
/// both within the measured range and one step beyond.
constexpr double shares_for_90_percent = 2.2;

}  // namespace

TimeRange time_range(const Planner& planner, std::span<const ComponentModel> models,
                     const Solution& solution) {
  const ComponentCosts expected = costs(solution);
  const auto time_if = [&](const std::string& component, double factor) {
    ComponentCosts changed = expected;
    changed[component] *= factor;
    return layout_time(planner.layout(), changed);
  };
  double below = 0;
  double above = 0;
  for (const Place& place : solution.places) {
    const Uncertainty uncertainty(*planner.problem().find(place.component), place.threads,
                                  *find_model(models, place.component, place.threads));
    const double error = shares_for_90_percent * uncertainty.share(place.tasks);
    below += std::pow(solution.time - time_if(place.component, std::max(0.0, 1 - error)), 2);
    above += std::pow(time_if(place.component, 1 + error) - solution.time, 2);
  }
  return {std::max(0.0, solution.time - std::sqrt(below)), solution.time + std::sqrt(above)};
}

}  // namespace plimsoll::pelayout
