#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace plimsoll::inline v0_1::drawing {

/// A matrix to be drawn by colours: a cell is the mean of the values that it stands for.
struct HeatMap {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;                      ///< rows x columns values, 0 or more, row by row
  std::vector<std::string> row_labels;             ///< one per row
  std::vector<std::string> column_labels;          ///< one per column
  std::string title;                               ///< of the drawing, one line
  std::string row_title;                           ///< what rows are, such as "sender"
  std::string column_title;                        ///< what columns are
  std::function<std::string(double)> value_label;  ///< text of a value; three digits if not given

  std::string label_of(double value) const;
};

/// A heat map with neighbouring rows and columns drawn together, `per_cell` of them, so that it is small
/// enough. Its labels are "first-last" of those drawn together.
HeatMap binned(const HeatMap& map, std::size_t per_cell);

/// Which of `levels` a value is drawn as: 0 for 0 only, then in equal steps up to the largest, or in equal
/// ratios where the largest is more than 100 times the smallest above 0.
class HeatScale {
 public:
  HeatScale(const std::vector<double>& values, std::size_t levels);
  std::size_t level(double value) const;
  /// The largest value of a level, from 1 to levels - 1.
  double upper_bound(std::size_t level) const;
  bool is_logarithmic() const { return logarithmic_; }
  double largest() const { return largest_; }

 private:
  std::size_t levels_;
  double smallest_ = 0;
  double largest_ = 0;
  bool logarithmic_ = false;
};

/// How to draw a heat map as text.
struct HeatMapOptions {
  std::size_t width = 80;  ///< columns in all
  bool colour = false;     ///< by the 256 colours of terminals, else by characters
};

/// Lines of text, with as many rows and columns drawn together as the width demands, and a legend. Empty for
/// an empty matrix.
std::string heat_map_text(const HeatMap& map, const HeatMapOptions& options = {});

/// A self-contained SVG file with axes, a legend, and the value of each cell as its tooltip; more than 512
/// rows or columns are drawn together.
std::string heat_map_svg(const HeatMap& map);

}  // namespace plimsoll::drawing
