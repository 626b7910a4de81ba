#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pelayout/models/example_data.hpp"

namespace plimsoll::testing {

using namespace pelayout;

/// Shared file with scaling curves of components in published timing runs.
constexpr const char* real_curves = "reference/layout-curves.md";

/// Reads curves from lines such as "- ATM: 320: 112.914956, 640: 55.289556" below headings "## e3sm_v1_f".
/// The name of a component contains the heading: "e3sm_v1_f/ATM".
inline std::vector<Component> read_curves(const std::string& path) {
  std::vector<Component> curves;
  std::ifstream file(path);
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    const std::size_t colon = line.find(':');
    if (!line.starts_with("- ") || colon == std::string::npos) continue;
    std::ranges::replace(line.begin() + static_cast<std::ptrdiff_t>(colon), line.end(), ':', ' ');
    std::ranges::replace(line, ',', ' ');
    std::istringstream numbers(line.substr(colon));
    std::vector<std::int64_t> tasks;
    std::vector<double> costs;
    for (double count = 0, cost = 0; numbers >> count >> cost;) {
      tasks.push_back(std::llround(count));
      costs.push_back(cost);
    }
    curves.push_back(measured(heading + "/" + line.substr(2, colon - 2), tasks, costs));
  }
  return curves;
}

/// Returns the curve without one of its points.
inline Component without(Component curve, std::size_t point) {
  curve.samples.erase(curve.samples.begin() + static_cast<std::ptrdiff_t>(point));
  return curve;
}

}  // namespace plimsoll::testing
