#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

std::optional<TaskRange> ScalingModel::measured_range() const {
  const auto measured = [](const ModelPoint& point) { return !point.extrapolated; };
  const auto min = std::ranges::find_if(points_, measured);
  if (min == points_.end()) return std::nullopt;
  const auto max = std::find_if(points_.rbegin(), points_.rend(), measured);
  return TaskRange{min->tasks, max->tasks};
}

bool ScalingModel::extrapolates(std::int64_t tasks) const {
  const std::optional<TaskRange> range = measured_range();
  return !range || tasks < range->min || tasks > range->max;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component) {
  const auto found = std::ranges::find(models, component, &ComponentModel::component);
  return found == models.end() ? nullptr : &*found;
}

const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads) {
  const ComponentModel* const model = find_model(models, component);
  if (model == nullptr || model->by_threads.empty()) return nullptr;
  const auto exact = model->by_threads.find(threads);
  return (exact == model->by_threads.end() ? model->by_threads.begin() : exact)->second.get();
}

bool cost_nothing(std::span<const ModelPoint> points) {
  return std::ranges::all_of(points, [](const ModelPoint& point) { return point.cost == 0; });
}

void ScalingModel::warn(const Component& component, const std::string& what, std::string suggestion) {
  warnings_.push_back({.severity = Severity::warning,
                       .check = "model",
                       .what = component.name + ": " + what,
                       .suggestion = std::move(suggestion)});
}

bool ScalingModel::warn_of_sole_point(const Component& component, const std::string& assumption) {
  const auto measured = [](const ModelPoint& point) { return !point.extrapolated; };
  if (cost_nothing(points_) || std::ranges::count_if(points_, measured) > 1) return false;
  warn(component,
       fmt::format("only one task count was measured ({}): {} is assumed",
                   std::ranges::find_if(points_, measured)->tasks, assumption),
       "use measurements at other task counts");
  return true;
}

namespace {

/// Returns the measured points of a component for a thread count, sorted by tasks.
std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads) {
  std::vector<ModelPoint> points;
  for (const Sample& sample : component.samples)
    if (sample.threads == threads) points.push_back({sample.tasks, sample.cost, false});
  std::ranges::sort(points, {}, &ModelPoint::tasks);
  PLIMSOLL_EXPECT(!points.empty() && points.front().tasks >= 1);
  PLIMSOLL_EXPECT(std::ranges::adjacent_find(points, {}, &ModelPoint::tasks) == points.end());
  return points;
}

/// Adds points at 2, 4, 8, ... and at the total. A line between them is at most an eighth above perfect
/// scaling.
void scale_perfectly(std::vector<ModelPoint>& points, std::int64_t total_tasks) {
  const double work = points.front().cost;
  while (points.back().tasks < total_tasks) {
    const std::int64_t tasks = points.back().tasks > total_tasks / 2 ? total_tasks : 2 * points.back().tasks;
    points.push_back({tasks, work / static_cast<double>(tasks), true});
  }
}

/// Returns the cost at `total_tasks` if the efficiency continues to drop as it did between the last two
/// points.
double cost_beyond(const ModelPoint& before, const ModelPoint& last, std::int64_t total_tasks) {
  const auto ratio = [](std::int64_t few, std::int64_t many) {
    return static_cast<double>(few) / static_cast<double>(many);
  };
  const double efficiency =
      before.cost > 0 ? (1 - last.cost / before.cost) / (1 - ratio(before.tasks, last.tasks)) : 1;
  return last.cost * (1 - efficiency + efficiency * ratio(last.tasks, total_tasks));
}

/// Returns the measured points and the points that CIME's tool adds. One is at 1 task; it assumes perfect
/// scaling up to the first measured point. Another is at `total_tasks`, if that is beyond the last measured
/// point; it assumes that the efficiency continues to drop at the same rate. The formula is from the tool's
/// source, because the tool's documentation differs. A single point at 1 task scales perfectly up to the
/// total; in the tool, the component would cost nothing there.
std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> points, std::int64_t total_tasks) {
  if (points.size() == 1 && points.front().tasks == 1) {
    scale_perfectly(points, total_tasks);
    return points;
  }
  if (const ModelPoint first = points.front(); first.tasks > 1)
    points.insert(points.begin(), {1, static_cast<double>(first.tasks) * first.cost, true});
  if (const ModelPoint& last = points.back(); last.tasks < total_tasks)
    points.push_back({total_tasks, cost_beyond(points[points.size() - 2], last, total_tasks), true});
  return points;
}

double at(const Line& line, double tasks) {
  return line.intercept + line.slope * tasks;
}

/// A part of a piecewise linear function, which ends where the next one begins.
struct Piece {
  double from;  ///< first task count
  Line line;
};
using Pieces = std::vector<Piece>;

/// Cost that is a piecewise linear function of the task count, and never below 0.
class PiecewiseModel final : public ScalingModel {
 public:
  PiecewiseModel(const Component& component, std::vector<ModelPoint> points, Pieces pieces,
                 std::vector<Line> lines)
      : ScalingModel(std::move(points)), pieces_(std::move(pieces)), lines_(std::move(lines)) {
    warn_of_sole_point(component, "perfect scaling");
  }

  using ScalingModel::warn;

  double cost(std::int64_t tasks) const override {
    const auto count = static_cast<double>(tasks);
    const auto next = std::ranges::upper_bound(pieces_, count, {}, &Piece::from);
    const Piece& piece = next == pieces_.begin() ? *next : *(next - 1);
    return std::max(0.0, at(piece.line, count));
  }

  /// Evaluates the function in one pass through the pieces.
  void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const override {
    PLIMSOLL_EXPECT(tasks.size() == costs.size());
    PLIMSOLL_EXPECT(std::ranges::is_sorted(tasks));
    std::size_t piece = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto count = static_cast<double>(tasks[i]);
      while (piece + 1 < pieces_.size() && pieces_[piece + 1].from <= count) ++piece;
      costs[i] = std::max(0.0, at(pieces_[piece].line, count));
    }
  }
  std::vector<Line> lines() const override { return lines_; }

 private:
  Pieces pieces_;
  std::vector<Line> lines_;
};

/// Returns the count at which the steeper line falls below the flatter one.
double crossing(const Line& steeper, const Line& flatter) {
  return (steeper.intercept - flatter.intercept) / (flatter.slope - steeper.slope);
}

Line line_through(const ModelPoint& from, const ModelPoint& to) {
  PLIMSOLL_EXPECT(from.tasks != to.tasks);
  const double slope = (to.cost - from.cost) / static_cast<double>(to.tasks - from.tasks);
  return {from.cost - slope * static_cast<double>(from.tasks), slope};
}

/// Interpolates between one or more points; constant before the first and beyond the last.
Pieces through(std::span<const ModelPoint> points) {
  PLIMSOLL_EXPECT(!points.empty());
  Pieces pieces = {{-std::numeric_limits<double>::infinity(), {points.front().cost, 0}}};
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    pieces.push_back({static_cast<double>(points[i].tasks), line_through(points[i], points[i + 1])});
  pieces.push_back({static_cast<double>(points.back().tasks), {points.back().cost, 0}});
  return pieces;
}

/// Returns the maximum of one or more lines, from 1 task on. Lines that are never the maximum are dropped.
Pieces maximum_of(std::vector<Line> lines) {
  PLIMSOLL_EXPECT(!lines.empty());
  // Sort lines by slope, and parallel lines by height. At large counts, each line is above all lines before
  // it. It therefore begins a piece at its intersection with the line before it, and replaces the pieces that
  // begin later.
  std::ranges::sort(lines, [](const Line& left, const Line& right) {
    return left.slope != right.slope ? left.slope < right.slope : left.intercept < right.intercept;
  });
  Pieces pieces;
  for (const Line& line : lines) {
    while (!pieces.empty() && at(line, pieces.back().from) >= at(pieces.back().line, pieces.back().from))
      pieces.pop_back();
    if (pieces.empty())
      pieces.push_back({1, line});
    else if (line.slope > pieces.back().line.slope)
      pieces.push_back({crossing(pieces.back().line, line), line});
  }
  return pieces;
}

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

void warn_of_blocks(const Component& component, PiecewiseModel& model) {
  for (const ModelPoint& point : model.points()) {
    if (!point.extrapolated && point.tasks > 1 && point.tasks % component.block_size != 0)
      model.warn(component,
                 fmt::format("measured count of {} tasks is not divisible by the block size {}: "
                             "results may be invalid",
                             point.tasks, component.block_size),
                 "use measurements at multiples of the block size");
  }
}

/// Warns if the tool's lines do not fit the data. The tool omits all lines after the first line that does
/// not fall. If a line is steeper than the line before it, the model lies above the data.
void warn_of_shape(const Component& component, std::span<const Line> lines, PiecewiseModel& model) {
  const std::vector<ModelPoint>& points = model.points();
  const ModelPoint& last = points[std::min(lines.size(), points.size() - 1)];
  if (lines.back().slope > 0)
    model.warn(component,
               fmt::format("nonconvex cost function: cost rises up to {} tasks; measurements "
                           "beyond that count are ignored",
                           last.tasks),
               "use model \"linear\" or \"fit\"");
  const auto steeper = [](const Line& line, const Line& next) {
    return next.slope < line.slope - 1e-9 * std::abs(line.slope);
  };
  if (std::ranges::adjacent_find(lines, steeper) != lines.end())
    model.warn(component,
               "nonconvex cost function: cost falls more steeply at higher counts; the model lies "
               "above the measurements",
               "use model \"linear\" or \"fit\"");
}

std::unique_ptr<PiecewiseModel> make_cime_model(const Component& component, std::vector<ModelPoint> points) {
  const std::vector<Line> lines = lines_while_falling(points);
  Pieces pieces = maximum_of(lines);
  std::vector<Line> used;
  std::ranges::transform(pieces, std::back_inserter(used), &Piece::line);
  auto model =
      std::make_unique<PiecewiseModel>(component, std::move(points), std::move(pieces), std::move(used));
  warn_of_blocks(component, *model);
  warn_of_shape(component, lines, *model);
  return model;
}

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

std::unique_ptr<PiecewiseModel> make_linear_model(const Component& component, std::vector<ModelPoint> points,
                                                  std::int64_t total_tasks) {
  Pieces pieces = through(points);
  std::vector<Line> lines = lines_if_convex(points, total_tasks);
  return std::make_unique<PiecewiseModel>(component, std::move(points), std::move(pieces), std::move(lines));
}

}  // namespace

std::unique_ptr<ScalingModel> make_scaling_model(ModelKind kind, const Component& component,
                                                 std::int64_t threads, std::int64_t total_tasks) {
  std::vector<ModelPoint> measured = measured_points(component, threads);
  if (kind == ModelKind::fit) return make_fitted_model(component, std::move(measured));
  std::vector<ModelPoint> points = extrapolated_points(std::move(measured), total_tasks);
  return kind == ModelKind::cime ? make_cime_model(component, std::move(points))
                                 : make_linear_model(component, std::move(points), total_tasks);
}

}  // namespace plimsoll::pelayout
