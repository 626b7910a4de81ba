#include <algorithm>

#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/models/model_kinds.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr support::Named<ModelKind> model_kinds[] = {
    {"cime", ModelKind::cime}, {"linear", ModelKind::linear}, {"fit", ModelKind::fit}};

}  // namespace

ModelKind model_kind(std::string_view name) {
  return support::value_of(model_kinds, name, "model");
}

const char* to_string(ModelKind kind) {
  return support::name_of(model_kinds, kind);
}

std::optional<TaskRange> ScalingModel::measured_range() const {
  const auto measured = [](const ModelPoint& point) { return !point.extrapolated; };
  const auto min = std::ranges::find_if(points_, measured);
  if (min == points_.end()) return std::nullopt;
  const auto max = std::find_if(points_.rbegin(), points_.rend(), measured);
  return TaskRange{min->tasks, max->tasks};
}

bool ScalingModel::extrapolates(std::int64_t tasks) const {
  const std::optional<TaskRange> range = measured_range();
  return !range || tasks < range->min || tasks > range->max;
}

std::unique_ptr<ScalingModel> make_scaling_model(ModelKind kind, const Component& component,
                                                 std::int64_t threads, std::int64_t total_tasks) {
  switch (kind) {
    case ModelKind::cime: return make_cime_model(component, threads, total_tasks);
    case ModelKind::linear: return make_linear_model(component, threads, total_tasks);
    case ModelKind::fit: break;
  }
  return make_fitted_model(component, threads);
}

}  // namespace plimsoll::pelayout
