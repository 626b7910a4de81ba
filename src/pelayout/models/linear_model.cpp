#include <cmath>
#include <span>
#include <vector>

#include "pelayout/models/model_kinds.hpp"
#include "pelayout/models/model_points.hpp"
#include "pelayout/models/piecewise_linear.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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
