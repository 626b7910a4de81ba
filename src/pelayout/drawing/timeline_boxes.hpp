#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::pelayout {

/// A component within a layout as it is drawn: processors from left to right, time from top to bottom.
struct TimelineBox {
  const Place* place = nullptr;
  double left = 0, right = 0;
  double top = 0, bottom = 0;
};

/// What text and picture of a layout have in common.
struct Timeline {
  std::vector<TimelineBox> boxes;
  std::vector<const Place*> without_box;  ///< take no time, or no processors
  double processors = 0;
  double time = 0;
  double last_end = 0;  ///< of the boxes; what follows is the layout's overhead and wait
  double idle = 0;      ///< share of the processors' time in which they have no component to run

  bool has_overhead() const { return time > last_end * (1 + 1e-9); }
};

Timeline make_timeline(const Solution& solution);

/// "22.57 s/day".
std::string time_text(double time, std::string_view unit);
/// "ATM: 992 tasks, 22.57 s/day": for legends and tooltips.
std::string description(const Place& place, std::string_view unit);
/// What may stand in its box, line by line: three forms of the whole, then the name alone.
std::vector<std::vector<std::string>> captions(const Place& place, std::string_view unit);
/// What is said below the drawing of time and processors without a box.
std::vector<std::string> remarks(const Timeline& timeline, std::string_view unit);

}  // namespace plimsoll::pelayout
