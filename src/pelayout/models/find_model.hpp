#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <plimsoll/pelayout/cost_table.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The models of a component; null if there are none.
const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component);

/// Its model for a number of threads, or, since layouts may leave threads aside, for the least that was
/// measured; null if there is none.
const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads);

}  // namespace plimsoll::pelayout
