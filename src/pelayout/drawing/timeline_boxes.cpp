#include "pelayout/drawing/timeline_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/format.hpp>

namespace plimsoll::pelayout {

namespace {

std::string tasks_text(const Place& place) {
  std::string text =
      support::format_number(static_cast<double>(place.tasks)) + (place.tasks == 1 ? " task" : " tasks");
  if (place.threads > 1) text += fmt::format(" x {} threads", place.threads);
  return text;
}

}  // namespace

Timeline make_timeline(const Solution& solution) {
  Timeline timeline;
  timeline.processors = static_cast<double>(solution.processors);
  double used = 0;
  for (const Place& place : solution.places) {
    const auto left = static_cast<double>(place.root);
    const auto processors = static_cast<double>(place.processors);
    const bool takes_time = std::isfinite(place.start) && std::isfinite(place.end) && place.start < place.end;
    if (!takes_time || place.start < 0 || left < 0 || processors < 1) {
      timeline.without_box.push_back(&place);
      continue;
    }
    timeline.boxes.push_back({&place, left, left + processors, place.start, place.end});
    timeline.processors = std::max(timeline.processors, left + processors);
    timeline.last_end = std::max(timeline.last_end, place.end);
    used += processors * (place.end - place.start);
  }
  timeline.time =
      std::isfinite(solution.time) ? std::max(solution.time, timeline.last_end) : timeline.last_end;
  if (!timeline.boxes.empty()) timeline.idle = std::max(1 - used / timeline.processors / timeline.time, 0.0);
  return timeline;
}

std::string time_text(double time, std::string_view unit) {
  return fmt::format("{} {}", support::format_number(time), unit);
}

std::string description(const Place& place, std::string_view unit) {
  return fmt::format("{}: {}, {}", place.component, tasks_text(place), time_text(place.cost, unit));
}

std::vector<std::vector<std::string>> captions(const Place& place, std::string_view unit) {
  const std::string tasks = tasks_text(place);
  const std::string time = time_text(place.cost, unit);
  const std::string& name = place.component;
  return {{name, tasks, time}, {name + ' ' + tasks, time}, {name + ' ' + tasks + ", " + time}, {name}};
}

std::vector<std::string> remarks(const Timeline& timeline, std::string_view unit) {
  std::vector<std::string> lines;
  for (const Place* place : timeline.without_box) lines.push_back(description(*place, unit));
  if (timeline.has_overhead())
    lines.push_back(
        fmt::format("after {}: overhead and wait of the layout", time_text(timeline.last_end, unit)));
  return lines;
}

}  // namespace plimsoll::pelayout
