#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "pelayout/models/model_kinds.hpp"
#include "pelayout/models/model_points.hpp"
#include "pelayout/models/piecewise_linear.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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

}  // namespace plimsoll::pelayout
