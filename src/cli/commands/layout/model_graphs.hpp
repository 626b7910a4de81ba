#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/sweep.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// Draws the cost of components over their task counts, up to `total`, with logarithmic axes. The graph is
/// shown in the terminal and, if a file name is specified, written as an SVG picture. Throws Error (usage) if
/// that file exists, unless `force` is set.
void show_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                       std::int64_t total, const std::string& svg_path, bool force, Terminal& terminal);

/// Writes only the SVG picture.
void write_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                        std::int64_t total, const std::string& svg_path, bool force);

/// Draws throughput and cost over the total task counts as text.
std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal);

}  // namespace plimsoll::cli
