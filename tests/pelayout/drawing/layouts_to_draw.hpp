#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

inline std::string draw_timeline(const Solution& solution, const drawing::TimelineOptions& options = {},
                                 const std::string& time_unit = "s/day") {
  return timeline_text(layout_timeline(solution, time_unit), options);
}

inline std::string draw_timeline_svg(const Solution& solution, const std::string& time_unit = "s/day") {
  return timeline_svg(layout_timeline(solution, time_unit));
}

inline Place placed(const std::string& component, std::int64_t tasks, std::int64_t root, double start,
                    double cost) {
  return {.component = component,
          .tasks = tasks,
          .blocks = tasks,
          .processors = tasks,
          .root = root,
          .cost = cost,
          .start = start,
          .end = start + cost};
}

/// Returns the layout that the documentation of CIME's tool draws.
inline Solution documented_layout() {
  return {.time = 16,
          .processors = 16,
          .places = {placed("ICE", 6, 0, 0, 8), placed("LND", 5, 6, 0, 7), placed("ATM", 11, 0, 8, 8),
                     placed("OCN", 5, 11, 0, 16)}};
}

/// Returns the documented result for example.json on 1024 tasks in blocks of 8.
inline Solution example_layout() {
  return {.time = 23.943355,
          .processors = 1024,
          .places = {placed("ICE", 872, 0, 0, 1.375768), placed("LND", 120, 872, 0, 1.316),
                     placed("ATM", 992, 0, 1.375768, 22.567587), placed("OCN", 32, 992, 0, 15.745)}};
}

/// Returns layouts that are hard to draw: many, tiny or no components, and results that no solver should
/// return.
inline std::vector<Solution> awkward_layouts() {
  std::vector<Solution> layouts;
  for (const int count : {1, 5, 20, 60}) {
    Solution in_sequence, side_by_side, stairs;
    std::int64_t root = 0;
    double time = 0;
    for (int k = 0; k < count; ++k) {
      const std::string name = "C" + std::to_string(k);
      const double cost = k % 3 == 0 ? 1e-9 : k % 3 == 1 ? 0 : 1e4;
      in_sequence.places.push_back(placed(name, 1 + k, 0, time, cost));
      side_by_side.places.push_back(placed(name, 1 + k * k * k, root, 0, 1.0 + k));
      stairs.places.push_back(placed(name, 1 + k % 7 * 1000, root, time, cost));
      root += 1 + k * k * k;
      time += cost;
    }
    in_sequence.time = time;
    side_by_side.time = 1.5 * count;
    in_sequence.processors = side_by_side.processors = stairs.processors = root;
    layouts.insert(layouts.end(), {in_sequence, side_by_side, stairs});
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  layouts.push_back({});
  layouts.push_back({.time = nan, .processors = -1, .places = {placed("A", 0, -5, nan, infinity)}});
  layouts.push_back(
      {.time = infinity, .places = {placed("A", 5, 3, 0, 1e308), placed("A", 5, 4, 1, 5e-324)}});
  layouts.push_back({.time = 5e-324, .places = {placed("A", 5, 3, 0, 5e-324)}});
  const std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  layouts.push_back(
      {.time = 3, .processors = maximum, .places = {placed("<&\x1b[2J\n>", maximum, maximum, 0, 2)}});
  layouts.push_back({.time = 3, .processors = 9, .places = {placed(std::string(300, 'N'), 9, 0, 0, 2)}});
  for (std::size_t k = 0, size = layouts.size(); k < size; ++k) {
    layouts.push_back(layouts[k]);
    layouts.back().nodes = {.tasks_per_node = 4};
  }
  return layouts;
}

/// Returns a layout on 4 nodes of 64 tasks, in which each component begins on a new node.
inline Solution layout_on_nodes() {
  Solution solution = {.time = 10,
                       .processors = 256,
                       .places = {placed("ICE", 100, 0, 0, 4), placed("LND", 60, 128, 0, 3),
                                  placed("ATM", 192, 0, 4, 6), placed("OCN", 64, 192, 0, 9)},
                       .nodes = Nodes{.tasks_per_node = 64}};
  for (Place& place : solution.places) place.nodes = solution.nodes->count(place.processors);
  return solution;
}

}  // namespace plimsoll::pelayout
