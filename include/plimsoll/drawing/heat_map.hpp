#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// A matrix to draw in colours. Each drawn cell shows the mean of the values that it combines.
struct HeatMap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;                      ///< rows x columns values, >= 0, row by row
  std::vector<std::string> row_labels;             ///< one label per row
  std::vector<std::string> column_labels;          ///< one label per column
  std::string title;                               ///< title of the drawing, one line
  std::string row_title;                           ///< meaning of a row, such as "sender"
  std::string column_title;                        ///< meaning of a column
  std::function<std::string(double)> value_label;  ///< formats a value; default: three digits
  bool logarithmic = false;                        ///< whether levels rise in equal ratios

  std::string label_of(double value) const;
};

/// Combines groups of `per_cell` neighbouring rows and columns of a heat map into one row or column each, to
/// make the map smaller. Labels of combined rows and columns are "first-last".
HeatMap binned(const HeatMap& map, std::size_t per_cell);

/// Maps values to `levels` levels. Level 0 contains only 0. The other levels rise in equal steps from 0 to
/// the maximum. On a logarithmic scale, they rise in equal ratios from the smallest value above 0 to the
/// maximum.
class HeatScale {
 public:
  HeatScale(const std::vector<double>& values, std::size_t levels, bool logarithmic = false);
  std::size_t level(double value) const;
  /// Returns the largest value of a level, from 1 to levels - 1.
  double upper_bound(std::size_t level) const;
  double largest() const { return largest_; }

 private:
  std::size_t levels_;
  double smallest_ = 0;
  double largest_ = 0;
  bool logarithmic_;
};

/// Options for drawing a heat map as text.
struct HeatMapOptions {
  std::size_t width = 80;  ///< total number of columns
  /// Whether to use the 256 colours of terminals; otherwise, characters show the levels.
  bool colour = false;
};

/// Draws the map as lines of text with a legend. Larger values have lighter colours. Combines as many rows
/// and columns as the width requires. Returns an empty string for an empty matrix.
std::string heat_map_text(const HeatMap& map, const HeatMapOptions& options = {});

/// Draws a self-contained SVG file with axes, a legend, and the value of each cell as its tooltip. Larger
/// values have darker colours. Rows and columns are combined if the map has more than 512 of either.
std::string heat_map_svg(const HeatMap& map);

}  // namespace plimsoll::drawing
