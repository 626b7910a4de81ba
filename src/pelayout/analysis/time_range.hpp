#pragma once

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/reproduction.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Returns the range of the time of a solution. Each component's cost varies by its Uncertainty; its effect
/// on the layout's time counts, so that slack absorbs errors. Effects are added as independent errors, i.e.
/// their squares are added. `models` are those of the solution. O(components^2).
TimeRange time_range(const Planner& planner, std::span<const ComponentModel> models,
                     const Solution& solution);

}  // namespace plimsoll::pelayout
