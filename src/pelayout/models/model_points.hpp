#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the measured points of a component for a thread count, sorted by tasks.
std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads);

/// Returns the measured points and the points that CIME's tool adds. One is at 1 task; it assumes perfect
/// scaling up to the first measured point. Another is at `total_tasks`, if that is beyond the last measured
/// point; it assumes that the efficiency continues to drop at the same rate. The formula is from the tool's
/// source, because the tool's documentation differs. A single point at 1 task scales perfectly up to the
/// total; in the tool, the component would cost nothing there.
std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> measured, std::int64_t total_tasks);

/// Returns whether the component costs nothing, like a stub. A single point is enough for such a component.
bool cost_nothing(std::span<const ModelPoint> points);

/// Returns a warning if only one count was measured, because the model then assumes perfect scaling.
std::optional<Diagnostic> sole_point_warning(const Component& component, std::span<const ModelPoint> points);

/// Returns a warning about a component's model.
Diagnostic model_warning(const Component& component, std::string what, std::string suggestion);

}  // namespace plimsoll::pelayout
