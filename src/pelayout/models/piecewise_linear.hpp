#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// The line through two points of different counts.
Line line_through(const ModelPoint& from, const ModelPoint& to);

/// A function of the number of tasks that is made of lines, and nowhere below 0.
class PiecewiseLinear {
 public:
  /// The lines through neighbouring points, at least one of them; constant before the first and beyond the
  /// last.
  static PiecewiseLinear through(std::span<const ModelPoint> points);
  /// The greatest of lines, at least one of them, from 1 task on. Lines that are nowhere the greatest are
  /// dropped.
  static PiecewiseLinear greatest_of(std::vector<Line> lines);

  /// O(log pieces).
  double operator()(std::int64_t tasks) const;
  /// The same for ascending counts, in one walk along the pieces.
  void walk(std::span<const std::int64_t> tasks, std::span<double> values) const;
  /// The lines of the pieces, by the counts for which they hold.
  std::vector<Line> lines() const;

 private:
  struct Piece {
    double from;  ///< tasks; the piece holds until the next one's
    Line line;
  };
  std::vector<Piece> pieces_;
};

}  // namespace plimsoll::pelayout
