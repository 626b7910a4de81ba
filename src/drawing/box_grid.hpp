#pragma once

#include <map>
#include <utility>

#include <plimsoll/drawing/timeline.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {

/// Maps coordinates to lines of a grid of characters. The scale is proportional, but keeps one or more
/// characters between the ends of each box if the number of cells suffices.
class GridScale {
 public:
  using Span = std::pair<double, double>;

  /// Creates a scale for boxes that begin and end at `spans`, all within 0 to `full`. With `may_grow`, cells
  /// are added if the boxes need them.
  GridScale(const std::vector<Span>& spans, double full, std::size_t cells, bool may_grow);

  std::size_t cells() const { return static_cast<std::size_t>(cells_); }
  /// Returns the line at a coordinate, which must be 0, `full`, or an end of a span.
  std::size_t at(double coordinate) const {
    const auto found = position_of_.find(coordinate);
    PLIMSOLL_EXPECT(found != position_of_.end());
    return static_cast<std::size_t>(found->second);
  }
  /// Returns the line nearest to any coordinate from 0 to `full`.
  std::size_t nearest(double coordinate) const;

 private:
  long last() const { return position_of_.rbegin()->second; }
  void place_from_begin(long cells, double full, long minimum);
  void place_from_end(long minimum);

  long cells_;
  std::map<double, long> position_of_;
  std::map<double, std::vector<double>> begins_of_, ends_of_;  // begins by end of box, and ends by begin
};

/// A box on a grid: the columns and rows of its lines.
struct GridBox {
  std::size_t left, right, top, bottom;

  std::size_t columns() const { return right - left > 1 ? right - left - 1 : 0; }
  std::size_t rows() const { return bottom - top > 1 ? bottom - top - 1 : 0; }
};

/// The lines of boxes, joined where they meet, and the background between them.
class LineGrid {
 public:
  LineGrid(std::size_t columns, std::size_t rows);

  void add_frame(const GridBox& box);
  /// Adds the frame of a box, and removes the background inside it.
  void add(const GridBox& box);
  /// Adds a tick below the last row.
  void add_tick(std::size_t column);
  /// Returns the character of a cell.
  std::string cell(std::size_t row, std::size_t column, bool ascii) const;

 private:
  unsigned& arms(std::size_t row, std::size_t column) { return arms_[row * columns_ + column]; }

  std::size_t columns_;
  std::vector<unsigned> arms_;  // directions of the lines in each cell
  std::vector<bool> covered_;
};

/// The borders of a timeline that a drawing shows: all of them, or one in 2, 4, 8, ...
struct TimelineBorders {
  std::vector<double> at;  ///< positions between 0 and the timeline's width
  std::string text;        ///< explanation for the legend: "node borders", "node borders (1 in 4)"
};

/// Selects borders that are at least `distance` apart. Empty if the timeline has none.
TimelineBorders borders_to_show(const Timeline& timeline, double distance);

}  // namespace plimsoll::drawing
