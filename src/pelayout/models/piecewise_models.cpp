#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/models.hpp"

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
  PLIMSOLL_EXPECT(from.tasks != to.tasks);
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
  PLIMSOLL_EXPECT(std::ranges::is_sorted(tasks));
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

namespace {

/// Returns the lines that CIME's tool uses. Each line connects two neighbouring points. Stops after the first
/// line that does not fall.
std::vector<Line> lines_while_falling(std::span<const ModelPoint> points) {
  if (points.size() == 1) return {{points.front().cost, 0}};
  std::vector<Line> lines;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    lines.push_back(line_through(points[i], points[i + 1]));
    if (lines.back().slope >= 0) break;
  }
  return lines;
}

class CimeModel final : public ScalingModel {
 public:
  CimeModel(const Component& component, std::int64_t threads, std::int64_t total_tasks)
      : ScalingModel(extrapolated_points(measured_points(component, threads), total_tasks)),
        all_lines_(lines_while_falling(points())),
        maximum_(PiecewiseLinear::maximum_of(all_lines_)) {
    if (const auto warning = sole_point_warning(component, points())) warn(*warning);
    warn_of_blocks(component);
    warn_of_shape(component);
  }

  double cost(std::int64_t tasks) const override { return maximum_(tasks); }
  void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const override {
    maximum_.walk(tasks, costs);
  }
  std::vector<Line> lines() const override { return maximum_.lines(); }

 private:
  void warn_of_blocks(const Component& component) {
    for (const ModelPoint& point : points()) {
      if (!point.extrapolated && point.tasks > 1 && point.tasks % component.block_size != 0) {
        warn(model_warning(component,
                           fmt::format("measured count of {} tasks is not divisible by the block size {}: "
                                       "results may be invalid",
                                       point.tasks, component.block_size),
                           "use measurements at multiples of the block size"));
      }
    }
  }

  /// Warns if the tool's lines do not fit the data. The tool omits all lines after the first line that does
  /// not fall. If a line is steeper than the line before it, the model lies above the data.
  void warn_of_shape(const Component& component) {
    const ModelPoint& last = points()[std::min(all_lines_.size(), points().size() - 1)];
    if (all_lines_.back().slope > 0) {
      warn(model_warning(component,
                         fmt::format("nonconvex cost function: cost rises up to {} tasks; measurements "
                                     "beyond that count are ignored",
                                     last.tasks),
                         "use model \"linear\" or \"fit\""));
    }
    const auto steeper = [](const Line& line, const Line& next) {
      return next.slope < line.slope - 1e-9 * std::abs(line.slope);
    };
    if (std::ranges::adjacent_find(all_lines_, steeper) != all_lines_.end()) {
      warn(model_warning(component,
                         "nonconvex cost function: cost falls more steeply at higher counts; the model lies "
                         "above the measurements",
                         "use model \"linear\" or \"fit\""));
    }
  }

  std::vector<Line> all_lines_;
  PiecewiseLinear maximum_;
};

}  // namespace

std::unique_ptr<ScalingModel> make_cime_model(const Component& component, std::int64_t threads,
                                              std::int64_t total_tasks) {
  return std::make_unique<CimeModel>(component, threads, total_tasks);
}

namespace {

/// Returns the lines between points if the interpolation is their maximum everywhere up to the total. Empty
/// unless the points are convex up to there.
std::vector<Line> lines_if_convex(std::span<const ModelPoint> points, std::int64_t total_tasks) {
  if (points.size() == 1) return {{points.front().cost, 0}};
  constexpr double rounding = 1e-12;
  std::vector<Line> lines;
  for (std::size_t i = 0; i + 1 < points.size() && (i == 0 || points[i].tasks < total_tasks); ++i) {
    const Line line = line_through(points[i], points[i + 1]);
    if (!lines.empty() && line.slope < lines.back().slope - rounding * std::abs(lines.back().slope))
      return {};
    lines.push_back(line);
  }
  return lines;
}

class LinearModel final : public ScalingModel {
 public:
  LinearModel(const Component& component, std::int64_t threads, std::int64_t total_tasks)
      : ScalingModel(extrapolated_points(measured_points(component, threads), total_tasks)),
        interpolation_(PiecewiseLinear::through(points())),
        lines_(lines_if_convex(points(), total_tasks)) {
    if (const auto warning = sole_point_warning(component, points())) warn(*warning);
  }

  double cost(std::int64_t tasks) const override { return interpolation_(tasks); }
  void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const override {
    interpolation_.walk(tasks, costs);
  }
  std::vector<Line> lines() const override { return lines_; }

 private:
  PiecewiseLinear interpolation_;
  std::vector<Line> lines_;
};

}  // namespace

std::unique_ptr<ScalingModel> make_linear_model(const Component& component, std::int64_t threads,
                                                std::int64_t total_tasks) {
  return std::make_unique<LinearModel>(component, threads, total_tasks);
}

}  // namespace plimsoll::pelayout
