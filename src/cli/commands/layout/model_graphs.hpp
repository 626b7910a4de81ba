#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/sweep.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Draws the cost of components over their tasks, up to `total`, with logarithmic axes, as text.
std::string model_graphs(const pelayout::Problem& problem,
                         const std::vector<pelayout::ComponentModel>& models, std::int64_t total,
                         const Terminal& terminal);

/// Draws the graphs of model_graphs() as an SVG picture.
std::string model_graphs_svg(const pelayout::Problem& problem,
                             const std::vector<pelayout::ComponentModel>& models, std::int64_t total);

/// Draws throughput and cost over the total task counts as text.
std::string sweep_graphs(const pelayout::Sweep& sweep, const Terminal& terminal);

}  // namespace plimsoll::cli
