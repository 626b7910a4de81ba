#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/drawing/plot.hpp>

namespace plimsoll::inline v0_1::drawing {

/// An axis of a plot: where values stand on it, and which of them are written beside it.
class PlotAxis {
 public:
  /// For values between two, both of which have a place on such an axis.
  PlotAxis(double least, double greatest, bool logarithmic);

  /// 0 at the begin of the axis, 1 at its end.
  double position(double value) const;
  /// Round values on the axis, about as many as given or fewer: 1-2-5 steps, 1-3 steps or decades.
  std::vector<double> ticks(std::size_t most) const;

 private:
  std::vector<double> decade_ticks(std::size_t most) const;

  bool logarithmic_;
  double begin_, end_;  // logarithms to base 10 if it is logarithmic
};

/// The axes of a plot.
struct PlotFrame {
  PlotAxis x, y;
};

/// Whether the axes have a place for a point.
bool has_place(const Plot& plot, const std::pair<double, double>& point);

/// The axes that show all points that have a place; nothing if there are none.
std::optional<PlotFrame> frame_of(const Plot& plot);

/// The points of a series in runs that belong together, those without a place left out.
std::vector<std::vector<std::pair<double, double>>> runs_of(const Plot& plot, const PlotSeries& series);

/// The series that have something to draw, if there are several: what a legend lists.
std::vector<const PlotSeries*> legend_of(const Plot& plot);

}  // namespace plimsoll::drawing
