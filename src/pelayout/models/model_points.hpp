#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// Returns the measured points of a component for a thread count, sorted by tasks.
std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads);

/// Returns the measured points and those that CIME's tool adds. One is at 1 task, with perfect scaling up to
/// the first point. Another is at `total_tasks`, if it lies beyond the last point, with an efficiency that
/// drops further as it did up to there. The formula is the tool's, which its documentation states
/// differently. Unlike in the tool, where it would cost nothing, a single point at 1 task scales perfectly up
/// to the total.
std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> measured, std::int64_t total_tasks);

/// Whether the component costs nothing, as stubs do. A single point is enough for such a component.
bool cost_nothing(std::span<const ModelPoint> points);

/// Returns a warning if only one count was measured: it is only known that more tasks are faster.
std::optional<Diagnostic> sole_point_warning(const Component& component, std::span<const ModelPoint> points);

/// Makes a warning about a component's model.
Diagnostic model_warning(const Component& component, std::string what, std::string suggestion);

}  // namespace plimsoll::pelayout
