#pragma once

#include <string>

#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Makes the drawing of a solution in the style of the documentation of CIME's tool: processors from left to
/// right, time from top to bottom, one box per component with its name, tasks and time. Components that take
/// no time and the layout's overhead and wait become remarks.
drawing::Timeline layout_timeline(const Solution& solution, const std::string& time_unit = "s/day");

}  // namespace plimsoll::pelayout
