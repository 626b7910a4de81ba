#pragma once

#include <cmath>
#include <string>

#include <plimsoll/drawing/chart.hpp>

#include "drawing/plot_axis.hpp"

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// The rectangle of an SVG picture, in pixels, between the axes of a plot.
struct PlotArea {
  double left = 0, right = 0, top = 0, bottom = 0;

  double pixel_x(const PlotFrame& frame, double x) const {
    return std::lerp(left, right, frame.x.position(x));
  }
  double pixel_y(const PlotFrame& frame, double y) const {
    return std::lerp(bottom, top, frame.y.position(y));
  }
};

/// Draws the border of an area.
std::string border_svg(const PlotArea& area);

/// Draws grid lines with their values, the border, and the labels of both axes. Values that would touch the
/// previous one are omitted. Takes 72 pixels to the left of the area and 52 below.
std::string axes_svg(const Plot& plot, const PlotFrame& frame, const PlotArea& area);

}  // namespace plimsoll::drawing
