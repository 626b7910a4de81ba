#include "pelayout/analysis/uncertain_cost.hpp"

#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/models/find_model.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Multiple of Uncertainty::share() that exceeds 90 % of the errors for left-out points of 15 real curves,
/// both within the measured range and one step beyond.
constexpr double shares_for_90_percent = 2.2;

}  // namespace

UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks) {
  return UncertainTime::within(cost, shares_for_90_percent * uncertainty.share(tasks) * cost);
}

UncertainTime uncertain_time(const Planner& planner, std::span<const ComponentModel> models,
                             const Solution& solution) {
  UncertainCosts costs;
  for (const Place& place : solution.places) {
    const Uncertainty uncertainty(*planner.problem().find(place.component), place.threads,
                                  *find_model(models, place.component, place.threads));
    costs[place.component] = uncertain_cost(place.cost, uncertainty, place.tasks);
  }
  return layout_time(planner.layout(), costs);
}

}  // namespace plimsoll::pelayout
