#pragma once

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/reproduction.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Returns the range that contains the time of a solution with a probability of 90 %. Each component's cost
/// varies by a multiple of its Uncertainty, which is calibrated so that 90 % of the points of real curves lie
/// within their range if they are predicted from the other points. Only its effect on the layout's time
/// counts, so that slack absorbs errors. Effects are added as independent errors, i.e. their squares are
/// added. `models` are those of the solution. O(components^2).
TimeRange time_range(const Planner& planner, std::span<const ComponentModel> models,
                     const Solution& solution);

}  // namespace plimsoll::pelayout
