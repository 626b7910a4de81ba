#pragma once

#include <cstdint>
#include <memory>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

// Functions that make the models of make_scaling_model(), one per kind.
std::unique_ptr<ScalingModel> make_cime_model(const Component& component, std::int64_t threads,
                                              std::int64_t total_tasks);
std::unique_ptr<ScalingModel> make_linear_model(const Component& component, std::int64_t threads,
                                                std::int64_t total_tasks);
std::unique_ptr<ScalingModel> make_fitted_model(const Component& component, std::int64_t threads);

}  // namespace plimsoll::pelayout
