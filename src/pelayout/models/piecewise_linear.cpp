#include "pelayout/models/piecewise_linear.hpp"

#include <algorithm>
#include <limits>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

double at(const Line& line, double tasks) {
  return line.intercept + line.slope * tasks;
}

/// Returns the count at which the steeper line falls below the flatter one.
double crossing(const Line& steeper, const Line& flatter) {
  return (steeper.intercept - flatter.intercept) / (flatter.slope - steeper.slope);
}

}  // namespace

Line line_through(const ModelPoint& from, const ModelPoint& to) {
  const double slope = (to.cost - from.cost) / static_cast<double>(to.tasks - from.tasks);
  return {from.cost - slope * static_cast<double>(from.tasks), slope};
}

PiecewiseLinear PiecewiseLinear::through(std::span<const ModelPoint> points) {
  PLIMSOLL_EXPECT(!points.empty());
  PiecewiseLinear function;
  function.pieces_.push_back({-std::numeric_limits<double>::infinity(), {points.front().cost, 0}});
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    function.pieces_.push_back(
        {static_cast<double>(points[i].tasks), line_through(points[i], points[i + 1])});
  }
  function.pieces_.push_back({static_cast<double>(points.back().tasks), {points.back().cost, 0}});
  return function;
}

PiecewiseLinear PiecewiseLinear::maximum_of(std::vector<Line> lines) {
  PLIMSOLL_EXPECT(!lines.empty());
  // Sort lines by slope, and parallel lines by height. At large counts, each line is above all lines before
  // it. It therefore begins a piece at its intersection with the line before it, and replaces the pieces that
  // begin later.
  std::ranges::sort(lines, [](const Line& left, const Line& right) {
    return left.slope != right.slope ? left.slope < right.slope : left.intercept < right.intercept;
  });
  PiecewiseLinear function;
  std::vector<Piece>& pieces = function.pieces_;
  for (const Line& line : lines) {
    while (!pieces.empty() && at(line, pieces.back().from) >= at(pieces.back().line, pieces.back().from))
      pieces.pop_back();
    if (pieces.empty()) {
      pieces.push_back({1, line});
    } else if (line.slope > pieces.back().line.slope) {
      pieces.push_back({crossing(pieces.back().line, line), line});
    }
  }
  return function;
}

double PiecewiseLinear::operator()(std::int64_t tasks) const {
  const auto count = static_cast<double>(tasks);
  const auto next = std::ranges::upper_bound(pieces_, count, {}, &Piece::from);
  const Piece& piece = next == pieces_.begin() ? *next : *(next - 1);
  return std::max(0.0, at(piece.line, count));
}

void PiecewiseLinear::walk(std::span<const std::int64_t> tasks, std::span<double> values) const {
  PLIMSOLL_EXPECT(tasks.size() == values.size());
  std::size_t piece = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto count = static_cast<double>(tasks[i]);
    while (piece + 1 < pieces_.size() && pieces_[piece + 1].from <= count) ++piece;
    values[i] = std::max(0.0, at(pieces_[piece].line, count));
  }
}

std::vector<Line> PiecewiseLinear::lines() const {
  std::vector<Line> lines;
  lines.reserve(pieces_.size());
  std::ranges::transform(pieces_, std::back_inserter(lines), &Piece::line);
  return lines;
}

}  // namespace plimsoll::pelayout
