#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/cost_table.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/sweep.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// Draws what components cost over their tasks, up to `total`, with logarithmic axes: in the terminal, and as
/// an SVG picture if that has a name. Throws Error (usage) if that is there, unless `force`.
void show_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                       std::int64_t total, const std::string& svg_path, bool force, Terminal& terminal);

/// The picture alone.
void write_model_graphs(const pelayout::Problem& problem, const std::vector<pelayout::ComponentModel>& models,
                        std::int64_t total, const std::string& svg_path, bool force);

/// Throughput and cost over the totals, as text.
std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal);

}  // namespace plimsoll::cli
