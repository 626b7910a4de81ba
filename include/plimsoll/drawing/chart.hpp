#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// Options for drawing a chart.
struct ChartOptions {
  std::size_t width = 72;  ///< columns for the series, >= 1
  std::size_t height = 8;  ///< lines for the series, >= 1
  bool ascii = false;      ///< whether to draw '#' instead of block characters, for terminals without UTF-8
  std::string title;       ///< line above the chart; omitted if empty
  std::string x_first;     ///< labels below the first and the last column
  std::string x_last;
  std::function<std::string(double)> y_label;  ///< formats a value on the y axis; default: three digits
};

/// Draws a column chart of a series, such as imbalances over phases, from 0 up to its maximum. A series
/// longer than the width is divided into `width` equal parts, and each part is drawn as its maximum, so that
/// no peak is lost. Negative values are drawn as 0, and non-finite ones are not drawn. Lines end with a
/// newline and have no trailing spaces; an empty series gives an empty string.
std::string column_chart(std::span<const double> values, const ChartOptions& options = {});

/// Bar of a bar chart.
struct Bar {
  std::string label;  ///< in front of the bar
  double value = 0;   ///< length of the bar
  std::string text;   ///< behind the bar, such as the value with its unit
};

/// Draws one horizontal bar per line, below the title if it is not empty. The longest bar takes what labels
/// and texts leave of `width` columns, at least 10. Negative values are drawn as 0, and non-finite ones are
/// not drawn. Lines end with a newline and have no trailing spaces; without bars, the result is empty.
std::string bar_chart(std::span<const Bar> bars, const std::string& title, std::size_t width, bool ascii);

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
