#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the line through two points with different counts.
Line line_through(const ModelPoint& from, const ModelPoint& to);

/// A piecewise linear function of the task count that is never below 0.
class PiecewiseLinear {
 public:
  /// Interpolates between one or more points; constant before the first and beyond the last.
  static PiecewiseLinear through(std::span<const ModelPoint> points);
  /// Returns the maximum of one or more lines, from 1 task on. Lines that are never the maximum are dropped.
  static PiecewiseLinear maximum_of(std::vector<Line> lines);

  /// Evaluates the function. O(log pieces).
  double operator()(std::int64_t tasks) const;
  /// Evaluates the function at ascending counts, in one pass through the pieces.
  void walk(std::span<const std::int64_t> tasks, std::span<double> values) const;
  /// Returns the lines of the pieces, sorted by task count.
  std::vector<Line> lines() const;

 private:
  struct Piece {
    double from;  ///< first task count of the piece; the piece ends where the next one begins
    Line line;
  };
  std::vector<Piece> pieces_;
};

}  // namespace plimsoll::pelayout
