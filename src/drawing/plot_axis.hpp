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

}  // namespace plimsoll::drawing
