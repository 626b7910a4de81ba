#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr support::Named<const char*> colours[] = {
    {"ATM", "#6baed6"}, {"OCN", "#41b6a6"}, {"ICE", "#9e9ac8"}, {"LND", "#74c476"}, {"ROF", "#e6b82e"},
    {"CPL", "#fd8d3c"}, {"GLC", "#d68fc0"}, {"WAV", "#5dcdd6"}, {"IAC", "#c9b28b"}, {"ESP", "#b0b0b0"}};

/// Returns the colour of a component, the same in all pictures: dark enough for lines, light enough for black
/// text. Components outside CIME may share a colour.
const char* component_colour(std::string_view component) {
  for (const auto& [name, colour] : colours)
    if (component == name) return colour;
  const unsigned letters = std::accumulate(
      component.begin(), component.end(), 0U,
      [](unsigned sum, char letter) { return 31 * sum + static_cast<unsigned char>(letter); });
  return colours[letters % std::size(colours)].value;
}

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

constexpr const char* blue = "#1f77b4";
constexpr const char* grey = "#9a9a9a";
constexpr const char* knee_colour = "#d62728";
constexpr std::size_t max_marked = 200;  // maximum number of points with marks; more marks would overlap
constexpr double widest_linear = 20;     // maximum ratio of the totals (maximum / minimum) on a linear axis

std::pair<double, double> over_total(const SweepPoint& point) {
  return {static_cast<double>(point.total), point.throughput};
}
std::pair<double, double> over_cost(const SweepPoint& point) {
  return {point.core_hours, point.throughput};
}

std::string tasks_text(const Place& place) {
  std::string text =
      support::format_number(static_cast<double>(place.tasks)) + (place.tasks == 1 ? " task" : " tasks");
  if (place.threads > 1) text += fmt::format(" x {} threads", place.threads);
  return text;
}

std::string nodes_text(const Place& place) {
  return place.nodes == 0 ? "" : fmt::format(" on {} node{}", place.nodes, place.nodes == 1 ? "" : "s");
}

std::string time_text(double time, std::string_view unit) {
  return fmt::format("{} {}", support::format_number(time), unit);
}

// Formats a place such as "ATM: 992 tasks, 22.57 s/day".
std::string description(const Place& place, std::string_view unit) {
  return fmt::format("{}: {}{}, {}", place.component, tasks_text(place), nodes_text(place),
                     time_text(place.cost, unit));
}

std::vector<std::vector<std::string>> captions(const Place& place, std::string_view unit) {
  const std::string tasks = tasks_text(place);
  const std::string time = time_text(place.cost, unit);
  const std::string& name = place.component;
  return {{name, tasks, time}, {name + ' ' + tasks, time}, {name + ' ' + tasks + ", " + time}};
}

}  // namespace

std::vector<Plot> model_plots(const Problem& problem, const std::vector<ComponentModel>& models,
                              std::int64_t total, std::string_view cost_unit) {
  std::vector<Plot> plots;
  for (const ComponentModel& model : models)
    if (takes_time(model)) plots.push_back(plot_of(problem.find(model.component), model, total, cost_unit));
  return plots;
}

std::vector<Plot> sweep_plots(const Sweep& sweep) {
  if (sweep.points.empty()) return {};
  const bool wide = static_cast<double>(sweep.points.back().total) >
                    widest_linear * static_cast<double>(sweep.points.front().total);
  const bool marked = sweep.points.size() <= max_marked;

  Plot by_total{.title = "Throughput of the best layouts",
                .x_label = "processors",
                .y_label = "simulated years/day",
                .log_x = wide,
                .log_y = wide};
  Plot by_cost = by_total;
  by_cost.title = "Throughput and cost";
  by_cost.x_label = "core hours/simulated year";
  PlotSeries best{.name = "best layout", .line = true, .marks = marked, .mark = 'o', .colour = blue};
  PlotSeries front{.name = "Pareto front", .line = true, .marks = marked, .mark = 'o', .colour = blue};
  PlotSeries dominated{.name = "slower or more expensive", .mark = 'x', .colour = grey};
  for (const SweepPoint& point : sweep.points) {
    best.points.push_back(over_total(point));
    (point.pareto ? front : dominated).points.push_back(over_cost(point));
  }
  std::ranges::sort(front.points);
  by_total.series.push_back(std::move(best));
  if (!dominated.points.empty()) by_cost.series.push_back(std::move(dominated));
  by_cost.series.push_back(std::move(front));
  if (sweep.knee) {
    const SweepPoint& point = sweep.points.at(*sweep.knee);
    PlotSeries knee{.name = "knee", .points = {over_total(point)}, .mark = '*', .colour = knee_colour};
    by_total.series.push_back(knee);
    knee.points = {over_cost(point)};
    by_cost.series.push_back(std::move(knee));
  }
  return {by_total, by_cost};
}

namespace {

/// Horizontal extent of a component: processors or, with two kinds of nodes, nodes.
struct Span {
  double left = 0;
  double width = 0;
};

Span span_of(const Place& place, const Solution& solution) {
  const std::vector<Partition>& kinds = solution.partitions;
  if (kinds.empty()) return {static_cast<double>(place.root), static_cast<double>(place.processors)};
  const auto per_node = static_cast<double>(kinds[place.partition].nodes.tasks_per_node);
  const std::int64_t root = place.root - first_processor(kinds, place.partition);
  const std::int64_t nodes_before = place.partition == 0 ? 0 : kinds[0].n_nodes;
  return {static_cast<double>(nodes_before) + static_cast<double>(root) / per_node,
          static_cast<double>(place.processors) / per_node};
}

/// Formats the nodes of both kinds: "84 gpu and 80 cpu nodes".
std::string nodes_of_kinds(const std::vector<Partition>& kinds) {
  return fmt::format("{} {} and {} {} nodes", kinds[0].n_nodes, kinds[0].name, kinds[1].n_nodes,
                     kinds[1].name);
}

}  // namespace

drawing::Timeline layout_timeline(const Solution& solution, const std::string& time_unit) {
  const std::vector<Partition>& kinds = solution.partitions;
  drawing::Timeline timeline{
      .x_label = kinds.empty() ? "processors" : "nodes",
      .time_unit = time_unit,
      .width = static_cast<double>(kinds.empty() ? solution.processors : kinds[0].n_nodes + kinds[1].n_nodes),
      .empty_text = "no component takes any time"};
  double used = 0, last_end = 0;
  for (const Place& place : solution.places) {
    const auto [left, width] = span_of(place, solution);
    const bool takes_time = std::isfinite(place.start) && std::isfinite(place.end) && place.start < place.end;
    if (!takes_time || place.start < 0 || left < 0 || place.processors < 1) {
      timeline.remarks.push_back(description(place, time_unit));
      continue;
    }
    timeline.boxes.push_back({.name = place.component,
                              .description = description(place, time_unit),
                              .captions = captions(place, time_unit),
                              .left = left,
                              .right = left + width,
                              .top = place.start,
                              .bottom = place.end,
                              .colour = component_colour(place.component)});
    timeline.width = std::max(timeline.width, left + width);
    last_end = std::max(last_end, place.end);
    used += width * (place.end - place.start);
  }
  timeline.time = std::isfinite(solution.time) ? std::max(solution.time, last_end) : last_end;
  if (!timeline.boxes.empty()) timeline.idle = std::max(1 - used / timeline.width / timeline.time, 0.0);
  if (timeline.time > last_end * (1 + 1e-9))
    timeline.remarks.push_back(
        fmt::format("after {}: overhead and wait of the layout", time_text(last_end, time_unit)));
  timeline.title = fmt::format(
      "Layout: {} on {}", time_text(timeline.time, time_unit),
      kinds.empty() ? support::format_number(timeline.width) + " processors" : nodes_of_kinds(kinds));
  if (const auto& nodes = solution.nodes) {
    timeline.border_step = static_cast<double>(nodes->tasks_per_node);
    timeline.border_name = "node border";
    timeline.title +=
        fmt::format(", {} nodes of {}", nodes->count(solution.processors), nodes->tasks_per_node);
  }
  return timeline;
}

}  // namespace plimsoll::pelayout
