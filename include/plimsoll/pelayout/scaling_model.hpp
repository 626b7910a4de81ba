#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// cost >= intercept + slope * tasks.
struct Line {
  double intercept = 0;  ///< cost at 0 tasks
  double slope = 0;      ///< cost per task
};

/// A point that a model goes by.
struct ModelPoint {
  std::int64_t tasks = 1;
  double cost = 0;            ///< 0 or more, in the problem's unit
  bool extrapolated = false;  ///< not measured
};

/// How a cost between and beyond the measured points is found.
enum class ModelKind {
  cime,    ///< the greatest of the lines through neighbouring points, as CIME's tool has it
  linear,  ///< the same points, interpolated: right for data that are not convex too
  fit,     ///< T(n) = a/n + b n^c + d
};

/// "cime", "linear", "fit". Throws Error (usage), with the names there are, for another.
ModelKind model_kind(std::string_view name);
/// The name that model_kind() reads.
const char* to_string(ModelKind kind);

/// How well a fitted model describes its data.
struct FitQuality {
  double a = 0, b = 0, c = 0, d = 0;   ///< T(n) = a/n + b n^c + d, all >= 0
  double r_squared = 0;                ///< of the costs' logarithms, outliers aside; 1 is perfect
  double typical_error = 0;            ///< relative: the median of |model / data - 1|
  std::vector<std::int64_t> outliers;  ///< task counts of points that the fit leaves out
};

/// What a component costs as a function of its number of tasks, for one number of threads.
class ScalingModel {
 public:
  virtual ~ScalingModel() = default;
  /// For any number of tasks >= 1; finite, >= 0.
  virtual double cost(std::int64_t tasks) const = 0;
  /// The same for many counts, which ascend: for tables. `costs` has the size of `tasks`.
  virtual void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const = 0;
  /// Measured and extrapolated points, by tasks.
  const std::vector<ModelPoint>& points() const { return points_; }
  /// Whether the count lies outside what was measured.
  bool extrapolates(std::int64_t tasks) const;
  /// Where the cost is the greatest of some lines (and 0) at every count up to the total: those lines, for
  /// linear programming (constraint (1) of the documentation, section 3). Empty otherwise.
  virtual std::vector<Line> lines() const { return {}; }
  virtual std::optional<FitQuality> quality() const { return std::nullopt; }
  /// What users should know: noisy, rising, too few data.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 protected:
  explicit ScalingModel(std::vector<ModelPoint> points) : points_(std::move(points)) {}
  void warn(Diagnostic warning) { warnings_.push_back(std::move(warning)); }

 private:
  std::vector<ModelPoint> points_;
  std::vector<Diagnostic> warnings_;
};

/// Makes a model of samples of one component, all with the same number of threads, at least one of them.
/// `total_tasks` is where CIME's extrapolation (cime, linear) puts its last point; `fit` does not need it.
/// Source: the documentation's section 3, in the form in which the tool has it; fit: HSLB (Alexeev et al.,
/// IPDPSW 2014).
std::unique_ptr<ScalingModel> make_scaling_model(ModelKind kind, const Component& component,
                                                 std::int64_t threads, std::int64_t total_tasks);

}  // namespace plimsoll::pelayout
