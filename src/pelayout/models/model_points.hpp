#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// What was measured of a component with a number of threads, by tasks.
std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads);

/// Measured points, and those that CIME's tool adds to them: at 1 task with perfect scaling up to the first
/// point; at `total_tasks`, if that lies beyond the last one, with an efficiency that drops on as it did to
/// the last point (the formula as the tool has it, which its documentation states differently). Unlike in the
/// tool, a sole point at 1 task scales perfectly up to the total: there it would cost nothing.
std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> measured, std::int64_t total_tasks);

/// Whether the component does nothing, as stubs do: of these, any number of points says enough.
bool cost_nothing(std::span<const ModelPoint> points);

/// What to say where only one count was measured: nothing else is known than that more tasks are faster.
std::optional<Diagnostic> sole_point_warning(const Component& component, std::span<const ModelPoint> points);

/// A warning about a component's model.
Diagnostic model_warning(const Component& component, std::string what, std::string suggestion);

}  // namespace plimsoll::pelayout
