#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include <plimsoll/pelayout/graphs.hpp>

#include "pelayout/drawing/component_colour.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using drawing::Plot;
using drawing::PlotSeries;

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();  // value that interrupts the curve
constexpr int counts_of_a_curve = 240;

/// Marks of the points, one per thread count.
constexpr std::array<char, 5> point_marks = {'x', '+', 's', 'd', 'v'};
constexpr const char* point_colour = "#444444";
constexpr const char* assumed_colour = "#d62728";
constexpr const char* pale_blue = "#6baed6";

// Returns the task counts to draw: a geometric sequence, and the model's points, where its curve may bend.
std::set<std::int64_t> counts_to_draw(const ScalingModel& model, std::int64_t max_tasks) {
  std::set<std::int64_t> counts;
  for (const ModelPoint& point : model.points()) max_tasks = std::max(max_tasks, point.tasks);
  for (const ModelPoint& point : model.points()) counts.insert(std::max<std::int64_t>(point.tasks, 1));
  for (int k = 0; k <= counts_of_a_curve; ++k)
    counts.insert(
        std::llround(std::pow(static_cast<double>(max_tasks), static_cast<double>(k) / counts_of_a_curve)));
  return counts;
}

PlotSeries curve(const ScalingModel& model, std::int64_t max_tasks, const std::string& name,
                 const char* colour) {
  PlotSeries series{.name = name, .line = true, .marks = false, .colour = colour};
  for (const std::int64_t tasks : counts_to_draw(model, max_tasks))
    series.points.emplace_back(static_cast<double>(tasks), model.cost(tasks));
  return series;
}

std::vector<std::pair<double, double>> points(const ScalingModel& model, bool extrapolated) {
  std::vector<std::pair<double, double>> found;
  for (const ModelPoint& point : model.points())
    if (point.extrapolated == extrapolated) found.emplace_back(static_cast<double>(point.tasks), point.cost);
  return found;
}

// Draws a vertical line from the minimum to the maximum cost of each count that was measured several times.
PlotSeries spread(const Component& component, const ComponentModel& models) {
  PlotSeries series{.name = "spread", .line = true, .marks = false, .colour = pale_blue};
  for (const Sample& sample : component.samples) {
    if (!models.by_threads.contains(sample.threads) || sample.repeats < 2) continue;
    const auto tasks = static_cast<double>(sample.tasks);
    series.points.insert(series.points.end(),
                         {{tasks, sample.minimum}, {tasks, sample.maximum}, {nowhere, nowhere}});
  }
  return series;
}

Plot plot_of(const Component* component, const ComponentModel& models, std::int64_t total,
             std::string_view cost_unit) {
  Plot plot{.title = models.component,
            .x_label = "tasks",
            .y_label = fmt::format("cost ({})", cost_unit),
            .log_x = true,
            .log_y = true};
  if (component != nullptr && !component->model.empty()) plot.title += " (" + component->model + ")";

  const bool several = models.by_threads.size() > 1;
  std::vector<PlotSeries> marks;
  PlotSeries assumed{.name = "extrapolated", .mark = 'o', .colour = assumed_colour};
  for (const auto& [threads, model] : models.by_threads) {
    const std::string name = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
    const std::int64_t max_tasks = std::max<std::int64_t>(several ? total / threads : total, 1);
    plot.series.push_back(
        curve(*model, max_tasks, several ? name : "model", component_colour(models.component)));
    marks.push_back({.name = several ? "measured, " + name : "measured",
                     .points = points(*model, false),
                     .mark = point_marks[marks.size() % point_marks.size()],
                     .colour = point_colour});
    for (const auto& point : points(*model, true)) assumed.points.push_back(point);
  }
  if (component != nullptr) plot.series.push_back(spread(*component, models));
  for (PlotSeries& series : marks) plot.series.push_back(std::move(series));
  plot.series.push_back(std::move(assumed));
  std::erase_if(plot.series, [](const PlotSeries& series) { return series.points.empty(); });
  return plot;
}

/// Returns whether a component has points that logarithmic axes can show.
bool takes_time(const ComponentModel& models) {
  return std::ranges::any_of(models.by_threads, [](const auto& entry) {
    return std::ranges::any_of(entry.second->points(),
                               [](const ModelPoint& point) { return point.cost > 0; });
  });
}

}  // namespace

std::vector<Plot> model_plots(const Problem& problem, const std::vector<ComponentModel>& models,
                              std::int64_t total, std::string_view cost_unit) {
  std::vector<Plot> plots;
  for (const ComponentModel& model : models)
    if (takes_time(model)) plots.push_back(plot_of(problem.find(model.component), model, total, cost_unit));
  return plots;
}

}  // namespace plimsoll::pelayout
