#pragma once

#include <cstdint>
#include <span>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/prediction.hpp>

#include "pelayout/analysis/uncertainty.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns a component's cost on `tasks` tasks with its error. The error is a multiple of
/// Uncertainty::share(), calibrated so that 90 % of the points of real curves lie within their range if they
/// are predicted from the other points.
UncertainTime uncertain_cost(double cost, const Uncertainty& uncertainty, std::int64_t tasks);

/// Returns the time of a solution with its error, from the independent errors of its components' costs.
/// `models` are those of the solution. O(components).
UncertainTime uncertain_time(const Planner& planner, std::span<const ComponentModel> models,
                             const Solution& solution);

}  // namespace plimsoll::pelayout
