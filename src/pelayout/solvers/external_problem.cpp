#include "pelayout/solvers/external_problem.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns the points of a model. A piecewise linear model has its own points. A curve is sampled at counts
/// that differ by a fifth or less, so that a/n is less than 1 % off in between.
std::vector<ModelPoint> points_of(const ScalingModel& model, std::int64_t total) {
  const bool is_curve = model.quality().has_value() || model.points().size() < 2;
  if (!is_curve) return model.points();
  std::set<std::int64_t> counts = {1, total};
  for (const ModelPoint& point : model.points()) counts.insert(point.tasks);
  for (std::int64_t count = 1; count < total; count = std::max(count + 1, count * 6 / 5))
    counts.insert(count);
  std::vector<ModelPoint> points;
  points.reserve(counts.size());
  for (const std::int64_t count : counts)
    points.push_back({count, model.cost(count), model.extrapolates(count)});
  return points;
}

void write_models(support::JsonWriter& json, const ComponentModel& component, std::int64_t total) {
  json.key(component.component).begin_array();
  for (const auto& [threads, model] : component.by_threads) {
    json.begin_object().member("threads", threads).key("points").begin_array();
    for (const ModelPoint& point : points_of(*model, total))
      json.begin_array().value(point.tasks).value(point.cost).value(point.extrapolated).end_array();
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string external_problem(const Problem& problem, const std::vector<ComponentModel>& models,
                             std::int64_t total) {
  std::string members;
  support::JsonWriter json(members);
  json.begin_object().member("version", 1).key("models").begin_object();
  for (const ComponentModel& component : models) write_models(json, component, total);
  json.end_object();

  Problem with_total = problem;
  with_total.total_tasks = total;
  const std::string rest = to_json(with_total);
  return members + "," + rest.substr(rest.find('{') + 1);
}

}  // namespace plimsoll::pelayout
