#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the models of a component, or null if it has none.
const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component);

/// Returns a component's model for a thread count. If it is missing, returns the model for the lowest
/// measured thread count, because layouts may ignore threads. Returns null if the component has no models.
const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads);

}  // namespace plimsoll::pelayout
