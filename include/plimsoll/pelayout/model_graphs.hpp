#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/drawing/plot.hpp>
#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/sweep.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// One plot for each component, cost over tasks from 1 to `total`, both logarithmic: what was measured, with
/// the spread of repeated measurements; the points that a model assumes beside; its curve. With several
/// numbers of threads each has a curve. `cost_unit` is for the axis: "s/day".
std::vector<drawing::Plot> model_plots(const Problem& problem, const std::vector<ComponentModel>& models,
                                       std::int64_t total, std::string_view cost_unit);

/// Two plots: throughput over totals, and throughput over core hours, in which the Pareto front and its knee
/// can be seen. None for a sweep without points.
std::vector<drawing::Plot> sweep_plots(const Sweep& sweep);

}  // namespace plimsoll::pelayout
