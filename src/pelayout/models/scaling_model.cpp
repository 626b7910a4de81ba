#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/models/models.hpp"

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

const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component) {
  const auto found = std::ranges::find(models, component, &ComponentModel::component);
  return found == models.end() ? nullptr : &*found;
}

const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads) {
  const ComponentModel* const model = find_model(models, component);
  if (model == nullptr || model->by_threads.empty()) return nullptr;
  const auto exact = model->by_threads.find(threads);
  return (exact == model->by_threads.end() ? model->by_threads.begin() : exact)->second.get();
}

namespace {

/// Adds points at 2, 4, 8, ... and at the total. A line between them is at most an eighth above perfect
/// scaling.
void scale_perfectly(std::vector<ModelPoint>& points, std::int64_t total_tasks) {
  const double work = points.front().cost;
  while (points.back().tasks < total_tasks) {
    const std::int64_t tasks = points.back().tasks > total_tasks / 2 ? total_tasks : 2 * points.back().tasks;
    points.push_back({tasks, work / static_cast<double>(tasks), true});
  }
}

/// Returns the cost at `total_tasks` if the efficiency continues to drop as it did between the last two
/// points.
double cost_beyond(const ModelPoint& before, const ModelPoint& last, std::int64_t total_tasks) {
  const auto ratio = [](std::int64_t few, std::int64_t many) {
    return static_cast<double>(few) / static_cast<double>(many);
  };
  const double efficiency =
      before.cost > 0 ? (1 - last.cost / before.cost) / (1 - ratio(before.tasks, last.tasks)) : 1;
  return last.cost * (1 - efficiency + efficiency * ratio(last.tasks, total_tasks));
}

}  // namespace

std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads) {
  std::vector<ModelPoint> points;
  for (const Sample& sample : component.samples) {
    if (sample.threads == threads) points.push_back({sample.tasks, sample.cost, false});
  }
  std::ranges::sort(points, {}, &ModelPoint::tasks);
  PLIMSOLL_EXPECT(!points.empty() && points.front().tasks >= 1);
  PLIMSOLL_EXPECT(std::ranges::adjacent_find(points, {}, &ModelPoint::tasks) == points.end());
  return points;
}

std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> points, std::int64_t total_tasks) {
  if (points.size() == 1 && points.front().tasks == 1) {
    scale_perfectly(points, total_tasks);
    return points;
  }
  if (const ModelPoint first = points.front(); first.tasks > 1)
    points.insert(points.begin(), {1, static_cast<double>(first.tasks) * first.cost, true});
  if (const ModelPoint& last = points.back(); last.tasks < total_tasks)
    points.push_back({total_tasks, cost_beyond(points[points.size() - 2], last, total_tasks), true});
  return points;
}

bool cost_nothing(std::span<const ModelPoint> points) {
  return std::ranges::all_of(points, [](const ModelPoint& point) { return point.cost == 0; });
}

std::optional<Diagnostic> sole_point_warning(const Component& component, std::span<const ModelPoint> points) {
  const auto measured = [](const ModelPoint& point) { return !point.extrapolated; };
  if (cost_nothing(points) || std::ranges::count_if(points, measured) > 1) return std::nullopt;
  const std::int64_t tasks = std::ranges::find_if(points, measured)->tasks;
  return model_warning(
      component, fmt::format("only one task count was measured ({}): perfect scaling is assumed", tasks),
      "use measurements at other task counts");
}

Diagnostic model_warning(const Component& component, std::string what, std::string suggestion) {
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.check = "model";
  warning.what = component.name + ": " + std::move(what);
  warning.suggestion = std::move(suggestion);
  return warning;
}

}  // namespace plimsoll::pelayout
