#include "drawing/box_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace plimsoll::PLIMSOLL_ABI::drawing {

namespace {

// Directions of the lines in a cell.
constexpr unsigned up = 1, down = 2, left = 4, right = 8;

}  // namespace

GridScale::GridScale(const std::vector<Span>& spans, double full, std::size_t cells, bool may_grow)
    : cells_(static_cast<long>(cells)) {
  position_of_ = {{0, 0}, {full, 0}};
  for (const auto& [begin, end] : spans) {
    position_of_[begin] = position_of_[end] = 0;
    begins_of_[end].push_back(begin);
    ends_of_[begin].push_back(end);
  }
  long minimum = 2;
  place_from_begin(0, full, minimum);
  if (may_grow) cells_ = std::max(cells_, last());
  while (last() > cells_) place_from_begin(0, full, --minimum);
  place_from_begin(cells_, full, minimum);
  place_from_end(minimum);
}

void GridScale::place_from_begin(long cells, double full, long minimum) {
  long before = 0;
  for (auto& [coordinate, position] : position_of_) {
    position = std::max(before, std::lround(coordinate / full * static_cast<double>(cells)));
    for (const double begin : begins_of_[coordinate])
      position = std::max(position, position_of_.at(begin) + minimum);
    before = position;
  }
}

void GridScale::place_from_end(long minimum) {
  long after = cells_;
  position_of_.rbegin()->second = cells_;
  for (auto entry = position_of_.rbegin(); entry != position_of_.rend(); ++entry) {
    entry->second = std::min(entry->second, after);
    for (const double end : ends_of_[entry->first])
      entry->second = std::min(entry->second, position_of_.at(end) - minimum);
    after = entry->second;
  }
}

std::size_t GridScale::nearest(double coordinate) const {
  const auto above = position_of_.lower_bound(coordinate);
  if (above == position_of_.begin() || above->first == coordinate)
    return static_cast<std::size_t>(above->second);
  const auto below = std::prev(above);
  const double share = (coordinate - below->first) / (above->first - below->first);
  return static_cast<std::size_t>(below->second +
                                  std::lround(share * static_cast<double>(above->second - below->second)));
}

LineGrid::LineGrid(std::size_t columns, std::size_t rows)
    : columns_(columns), arms_(columns * rows), covered_(columns * rows) {}

void LineGrid::add_frame(const GridBox& box) {
  for (std::size_t column = box.left; column < box.right; ++column)
    for (const std::size_t row : {box.top, box.bottom}) {
      arms(row, column) |= right;
      arms(row, column + 1) |= left;
    }
  for (std::size_t row = box.top; row < box.bottom; ++row)
    for (const std::size_t column : {box.left, box.right}) {
      arms(row, column) |= down;
      arms(row + 1, column) |= up;
    }
}

void LineGrid::add(const GridBox& box) {
  add_frame(box);
  for (std::size_t row = box.top; row <= box.bottom; ++row)
    for (std::size_t column = box.left; column <= box.right; ++column)
      covered_[row * columns_ + column] = true;
}

void LineGrid::add_tick(std::size_t column) {
  arms(arms_.size() / columns_ - 1, column) |= down;
}

std::string LineGrid::cell(std::size_t row, std::size_t column, bool ascii) const {
  static constexpr std::array joints = {" ", "╵", "╷", "│", "╴", "┘", "┐", "┤",
                                        "╶", "└", "┌", "├", "─", "┴", "┬", "┼"};
  const unsigned found = arms_[row * columns_ + column];
  if (found == 0) return covered_[row * columns_ + column] ? " " : ascii ? "." : "░";
  if (!ascii) return joints[found];
  const bool is_tick = (found & down) != 0 && row + 1 == arms_.size() / columns_;
  return (found & up) != 0 || is_tick ? "|" : (found & (left | right)) == (left | right) ? "_" : " ";
}

TimelineBorders borders_to_show(const Timeline& timeline, double distance) {
  TimelineBorders borders;
  if (!(timeline.border_step > 0 && timeline.border_step < timeline.width)) return borders;
  double interval = 1;
  while (interval * timeline.border_step < distance) interval *= 2;
  const double step = interval * timeline.border_step;
  for (double number = 1; number * step < timeline.width; ++number) borders.at.push_back(number * step);
  if (borders.at.empty()) return borders;
  borders.text = timeline.border_name + 's';
  if (interval > 1) borders.text += fmt::format(" (1 in {:.0f})", interval);
  return borders;
}

}  // namespace plimsoll::drawing
