#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// Points of one kind in a plot, optionally joined by lines.
struct PlotSeries {
  std::string name;  ///< name for the legend
  /// Points as pairs of x and y. Points that the axes cannot show (not finite; zero or negative on a
  /// logarithmic axis) are skipped and interrupt the line.
  std::vector<std::pair<double, double>> points;
  bool line = false;               ///< whether to join the points by lines
  bool marks = true;               ///< whether to mark the points
  char mark = 'x';                 ///< 'x', '+', 'o', '*', or any other ASCII character in terminals
  std::string colour = "#1f77b4";  ///< any CSS colour; used in SVG only
};

/// A plot of y over x. Series are drawn in their order, with marks on top of lines. Several series get a
/// legend.
struct Plot {
  std::string title;             ///< title, one line
  std::string x_label, y_label;  ///< labels with units
  /// Whether axes are logarithmic; such axes cannot show values of 0 or less.
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series;
};

/// Options for drawing a plot in a terminal.
struct PlotTextOptions {
  std::size_t width = 72;   ///< total number of columns, 24 to 400
  std::size_t height = 14;  ///< lines between the axes, 4 to 100
  bool ascii = false;       ///< whether to avoid braille dots for lines and "×" for marks
};

/// Draws a plot as lines of text, each ending in a newline, without trailing spaces.
std::string plot_text(const Plot& plot, const PlotTextOptions& options = {});

/// Draws one self-contained SVG picture of several plots, in two columns, with grid lines, and the values of
/// each mark as its tooltip.
std::string plot_svg(const std::vector<Plot>& plots, const std::string& title);

}  // namespace plimsoll::drawing
