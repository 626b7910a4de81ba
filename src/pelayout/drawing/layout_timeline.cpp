#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/drawing/component_colour.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

std::string tasks_text(const Place& place) {
  std::string text =
      support::format_number(static_cast<double>(place.tasks)) + (place.tasks == 1 ? " task" : " tasks");
  if (place.threads > 1) text += fmt::format(" x {} threads", place.threads);
  return text;
}

std::string nodes_text(const Place& place) {
  return place.nodes == 0 ? "" : fmt::format(" on {} node{}", place.nodes, place.nodes == 1 ? "" : "s");
}

// Formats a time such as "22.57 s/day".
std::string time_text(double time, std::string_view unit) {
  return fmt::format("{} {}", support::format_number(time), unit);
}

// Formats a place such as "ATM: 992 tasks, 22.57 s/day".
std::string description(const Place& place, std::string_view unit) {
  return fmt::format("{}: {}{}, {}", place.component, tasks_text(place), nodes_text(place),
                     time_text(place.cost, unit));
}

std::vector<std::vector<std::string>> captions(const Place& place, std::string_view unit) {
  const std::string tasks = tasks_text(place);
  const std::string time = time_text(place.cost, unit);
  const std::string& name = place.component;
  return {{name, tasks, time}, {name + ' ' + tasks, time}, {name + ' ' + tasks + ", " + time}};
}

}  // namespace

drawing::Timeline layout_timeline(const Solution& solution, const std::string& time_unit) {
  drawing::Timeline timeline{.x_label = "processors",
                             .time_unit = time_unit,
                             .width = static_cast<double>(solution.processors),
                             .empty_text = "no component takes any time"};
  double used = 0, last_end = 0;
  for (const Place& place : solution.places) {
    const auto left = static_cast<double>(place.root);
    const auto processors = static_cast<double>(place.processors);
    const bool takes_time = std::isfinite(place.start) && std::isfinite(place.end) && place.start < place.end;
    if (!takes_time || place.start < 0 || left < 0 || processors < 1) {
      timeline.remarks.push_back(description(place, time_unit));
      continue;
    }
    timeline.boxes.push_back({.name = place.component,
                              .description = description(place, time_unit),
                              .captions = captions(place, time_unit),
                              .left = left,
                              .right = left + processors,
                              .top = place.start,
                              .bottom = place.end,
                              .colour = component_colour(place.component)});
    timeline.width = std::max(timeline.width, left + processors);
    last_end = std::max(last_end, place.end);
    used += processors * (place.end - place.start);
  }
  timeline.time = std::isfinite(solution.time) ? std::max(solution.time, last_end) : last_end;
  if (!timeline.boxes.empty()) timeline.idle = std::max(1 - used / timeline.width / timeline.time, 0.0);
  if (timeline.time > last_end * (1 + 1e-9))
    timeline.remarks.push_back(
        fmt::format("after {}: overhead and wait of the layout", time_text(last_end, time_unit)));
  timeline.title = fmt::format("Layout: {} on {} processors", time_text(timeline.time, time_unit),
                               support::format_number(timeline.width));
  if (const auto& nodes = solution.nodes) {
    timeline.border_step = static_cast<double>(nodes->tasks_per_node);
    timeline.border_name = "node border";
    timeline.title +=
        fmt::format(", {} nodes of {}", nodes->count(solution.processors), nodes->tasks_per_node);
  }
  return timeline;
}

}  // namespace plimsoll::pelayout
