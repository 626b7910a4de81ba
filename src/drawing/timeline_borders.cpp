#include "drawing/timeline_borders.hpp"

#include <fmt/format.h>

namespace plimsoll::PLIMSOLL_ABI::drawing {

TimelineBorders borders_to_show(const Timeline& timeline, double distance) {
  TimelineBorders borders;
  if (!(timeline.border_step > 0 && timeline.border_step < timeline.width)) return borders;
  double interval = 1;
  while (interval * timeline.border_step < distance) interval *= 2;
  const double step = interval * timeline.border_step;
  for (double number = 1; number * step < timeline.width; ++number) borders.at.push_back(number * step);
  if (borders.at.empty()) return borders;
  borders.text = timeline.border_name + 's';
  if (interval > 1) borders.text += fmt::format(" (1 in {:.0f})", interval);
  return borders;
}

}  // namespace plimsoll::drawing
