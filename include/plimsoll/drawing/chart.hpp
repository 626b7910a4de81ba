#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

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

}  // namespace plimsoll::drawing
