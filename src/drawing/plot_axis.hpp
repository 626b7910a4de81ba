#pragma once

#include <cmath>
#include <optional>

#include <plimsoll/drawing/chart.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// An axis of a plot: positions of values, and selection of the values to label.
class PlotAxis {
 public:
  /// Creates an axis for values from `minimum` to `maximum`, both of which must be valid on it.
  PlotAxis(double minimum, double maximum, bool logarithmic);

  /// Returns 0 at the beginning of the axis, 1 at its end.
  double position(double value) const;
  /// Returns round values on the axis, at most about `most`: in 1-2-5 steps, 1-3 steps or decades.
  std::vector<double> ticks(std::size_t most) const;

 private:
  std::vector<double> decade_ticks(std::size_t most) const;

  bool logarithmic_;
  double begin_, end_;  // base-10 logarithms on a logarithmic axis
};

/// The axes of a plot.
struct PlotFrame {
  PlotAxis x, y;
};

/// Returns whether the axes can show a point.
bool has_place(const Plot& plot, const std::pair<double, double>& point);

/// Returns axes that show all valid points; nothing for a plot without valid points.
std::optional<PlotFrame> frame_of(const Plot& plot);

/// Returns the points of a series in connected runs, without points that the axes cannot show.
std::vector<std::vector<std::pair<double, double>>> runs_of(const Plot& plot, const PlotSeries& series);

/// Returns the series that a legend lists: all drawable ones. Empty for a plot with fewer than two series.
std::vector<const PlotSeries*> legend_of(const Plot& plot);

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
