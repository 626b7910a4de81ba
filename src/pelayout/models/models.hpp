#pragma once

#include <plimsoll/pelayout/scaling_model.hpp>
#include <plimsoll/pelayout/solution.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

// Functions that make the models of make_scaling_model(), one per kind.
std::unique_ptr<ScalingModel> make_cime_model(const Component& component, std::int64_t threads,
                                              std::int64_t total_tasks);
std::unique_ptr<ScalingModel> make_linear_model(const Component& component, std::int64_t threads,
                                                std::int64_t total_tasks);
std::unique_ptr<ScalingModel> make_fitted_model(const Component& component, std::int64_t threads);

/// Returns the measured points of a component for a thread count, sorted by tasks.
std::vector<ModelPoint> measured_points(const Component& component, std::int64_t threads);

/// Returns the measured points and the points that CIME's tool adds. One is at 1 task; it assumes perfect
/// scaling up to the first measured point. Another is at `total_tasks`, if that is beyond the last measured
/// point; it assumes that the efficiency continues to drop at the same rate. The formula is from the tool's
/// source, because the tool's documentation differs. A single point at 1 task scales perfectly up to the
/// total; in the tool, the component would cost nothing there.
std::vector<ModelPoint> extrapolated_points(std::vector<ModelPoint> measured, std::int64_t total_tasks);

/// Returns whether the component costs nothing, like a stub. A single point is enough for such a component.
bool cost_nothing(std::span<const ModelPoint> points);

/// Returns a warning if only one count was measured, because the model then assumes perfect scaling.
std::optional<Diagnostic> sole_point_warning(const Component& component, std::span<const ModelPoint> points);

/// Returns a warning about a component's model.
Diagnostic model_warning(const Component& component, std::string what, std::string suggestion);

/// Returns the models of a component, or null if it has none.
const ComponentModel* find_model(std::span<const ComponentModel> models, const std::string& component);

/// Returns a component's model for a thread count. If it is missing, returns the model for the lowest
/// measured thread count, because layouts may ignore threads. Returns null if the component has no models.
const ScalingModel* find_model(std::span<const ComponentModel> models, const std::string& component,
                               std::int64_t threads);

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
