#pragma once

#include <cstddef>
#include <string>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::pelayout {

/// Draws a solution as the documentation draws layouts: processors from left to right, time from top to
/// bottom, a box for each component with its name, tasks and time.
struct TimelineOptions {
  std::size_t width = 72;
  std::size_t height = 16;
  bool ascii = false;  ///< '|', '_' instead of box-drawing characters
  std::string time_unit = "s/day";
};
std::string draw_timeline(const Solution& solution, const TimelineOptions& options = {});

/// The same as a picture.
std::string timeline_svg(const Solution& solution, const std::string& time_unit = "s/day");

}  // namespace plimsoll::pelayout
