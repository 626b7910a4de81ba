#include <algorithm>
#include <utility>

#include <plimsoll/pelayout/graphs.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using drawing::Plot;
using drawing::PlotSeries;

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

}  // namespace

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
  Plot by_cost{.title = "Throughput and cost",
               .x_label = "core hours/simulated year",
               .y_label = "simulated years/day",
               .log_x = wide,
               .log_y = wide};
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
    const SweepPoint& knee = sweep.points.at(*sweep.knee);
    by_total.series.push_back(
        {.name = "knee", .points = {over_total(knee)}, .mark = '*', .colour = knee_colour});
    by_cost.series.push_back(
        {.name = "knee", .points = {over_cost(knee)}, .mark = '*', .colour = knee_colour});
  }
  return {by_total, by_cost};
}

}  // namespace plimsoll::pelayout
