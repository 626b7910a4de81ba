#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace plimsoll::inline v0_1::drawing {

/// How to draw a chart.
struct ChartOptions {
  std::size_t width = 72;  ///< columns for the series itself, at least 1
  std::size_t height = 8;  ///< lines for the series itself, at least 1
  bool ascii = false;      ///< '#' instead of block characters, for terminals without UTF-8
  std::string title;       ///< line above; none if empty
  std::string x_first;     ///< labels below the first and the last column
  std::string x_last;
  std::function<std::string(double)> y_label;  ///< text of a value on the y axis; three digits if not given
};

/// A column chart of a series (of imbalances over phases, say) from 0 up to its largest value. A series
/// longer than the width is drawn by the largest value of each of `width` equal parts, so that no peak is
/// lost. Negative values are drawn as 0, non-finite ones are left blank. Lines end with a newline and have
/// no blanks before it; an empty series gives an empty text.
std::string column_chart(std::span<const double> values, const ChartOptions& options = {});

}  // namespace plimsoll::drawing
