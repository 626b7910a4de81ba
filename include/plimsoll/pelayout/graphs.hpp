#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/pelayout/sweep.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Makes one plot per component that takes time: cost over tasks from 1 to `total`, both on logarithmic axes.
/// Each plot shows the measurements with the spread of their repeats, the points that a model assumes, and
/// the model's curve. If several thread counts were measured, each has a separate curve. The curve has the
/// component's colour in layout_timeline(). `cost_unit` labels the axis: "s/day".
std::vector<drawing::Plot> model_plots(const Problem& problem, const std::vector<ComponentModel>& models,
                                       std::int64_t total, std::string_view cost_unit);

/// Makes two plots: throughput over totals, and throughput over core hours. The second shows the Pareto front
/// and its knee. Returns no plots for a sweep without points.
std::vector<drawing::Plot> sweep_plots(const Sweep& sweep);

/// Makes the drawing of a solution in the style of the documentation of CIME's tool: processors from left to
/// right, time from top to bottom, one box per component with its name, tasks and time. Components that take
/// no time and the layout's overhead and wait become remarks.
drawing::Timeline layout_timeline(const Solution& solution, const std::string& time_unit = "s/day");

}  // namespace plimsoll::pelayout
