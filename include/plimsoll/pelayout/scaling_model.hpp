#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A line that bounds a cost from below: cost >= intercept + slope * tasks.
struct Line {
  double intercept = 0;  ///< cost at 0 tasks
  double slope = 0;      ///< cost per task
};

/// A point that a model uses.
struct ModelPoint {
  std::int64_t tasks = 1;
  double cost = 0;            ///< cost in the problem's unit; >= 0
  bool extrapolated = false;  ///< true if not measured
};

/// Minimum and maximum of a set of task counts.
struct TaskRange {
  std::int64_t min = 1;
  std::int64_t max = 1;
  friend bool operator==(const TaskRange&, const TaskRange&) = default;
};

/// Method that finds costs between and beyond the measured points.
enum class ModelKind {
  cime,    ///< maximum of the lines through neighbouring points, as in CIME's tool
  linear,  ///< linear interpolation between neighbouring points; also correct for nonconvex data
  fit,     ///< T(n) = a/n + b n^c + d
};

/// Names of the methods, as in `plimsoll layout solve --model`.
inline constexpr support::Named<ModelKind> model_kinds[] = {
    {"cime", ModelKind::cime}, {"linear", ModelKind::linear}, {"fit", ModelKind::fit}};
/// Returns the name of a method.
inline const char* to_string(ModelKind kind) {
  return support::name_of(model_kinds, kind);
}

/// Quality of a fitted model.
struct FitQuality {
  double a = 0, b = 0, c = 0, d = 0;   ///< T(n) = a/n + b n^c + d, all >= 0
  double r_squared = 0;                ///< R^2 of the costs' logarithms without outliers; 1 is perfect
  double typical_error = 0;            ///< relative error: the median of |model / data - 1|
  std::vector<std::int64_t> outliers;  ///< task counts of points that the fit excludes
};

/// Cost of a component as a function of its task count, for one thread count.
class ScalingModel {
 public:
  virtual ~ScalingModel() = default;
  /// Returns the cost for any number of tasks >= 1. The cost is finite and >= 0.
  virtual double cost(std::int64_t tasks) const = 0;
  /// Computes the costs for many ascending task counts, e.g. for tables. `costs` has the size of `tasks`.
  virtual void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const = 0;
  /// Returns the measured and extrapolated points, sorted by tasks.
  const std::vector<ModelPoint>& points() const { return points_; }
  /// Returns the range of the measured points; empty if all points are extrapolated.
  std::optional<TaskRange> measured_range() const;
  /// Returns whether the count lies outside the measured range.
  bool extrapolates(std::int64_t tasks) const;
  /// Returns lines for linear programming if the cost is the maximum of these lines (and 0) at every count up
  /// to the total. Otherwise returns none. They are the constraints (1) in section 3 of the documentation of
  /// CIME's tool.
  virtual std::vector<Line> lines() const { return {}; }
  virtual std::optional<FitQuality> quality() const { return std::nullopt; }
  /// Returns warnings for users: noisy data, rising costs, too few data.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 protected:
  explicit ScalingModel(std::vector<ModelPoint> points) : points_(std::move(points)) {}
  void warn(const Component& component, const std::string& what, std::string suggestion);
  /// Warns if only one count was measured, because the model then assumes how the cost scales: "perfect
  /// scaling". Returns whether it did.
  bool warn_of_sole_point(const Component& component, const std::string& assumption);

 private:
  std::vector<ModelPoint> points_;
  std::vector<Diagnostic> warnings_;
};

/// Makes a model from one or more samples of one component, all with the same thread count. `total_tasks` is
/// the last point of CIME's extrapolation (cime, linear); `fit` does not need it. Sources: section 3 of the
/// documentation of CIME's tool, as implemented in the tool; for `fit`, HSLB (Alexeev et al., IPDPSW 2014).
std::unique_ptr<ScalingModel> make_scaling_model(ModelKind kind, const Component& component,
                                                 std::int64_t threads, std::int64_t total_tasks);

}  // namespace plimsoll::pelayout
