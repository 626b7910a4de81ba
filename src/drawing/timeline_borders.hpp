#pragma once

#include <string>
#include <vector>

#include <plimsoll/drawing/timeline.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// The borders of a timeline that a drawing shows: all of them, or one in 2, 4, 8, ...
struct TimelineBorders {
  std::vector<double> at;  ///< positions between 0 and the timeline's width
  std::string text;        ///< explanation for the legend: "node borders", "node borders (1 in 4)"
};

/// Selects borders that are at least `distance` apart. Empty if the timeline has none.
TimelineBorders borders_to_show(const Timeline& timeline, double distance);

}  // namespace plimsoll::drawing
