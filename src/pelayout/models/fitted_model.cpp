#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <plimsoll/support/contract.hpp>

#include "pelayout/models/curve_fit.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns the finite relative errors of a curve, model / data - 1, in the order of the points.
std::vector<double> relative_errors(const ScalingCurve& curve, std::span<const ModelPoint> points) {
  std::vector<double> errors;
  for (const ModelPoint& point : points)
    if (point.cost > 0) errors.push_back(curve(static_cast<double>(point.tasks)) / point.cost - 1);
  return errors;
}

double median_size(std::vector<double> errors) {
  for (double& error : errors) error = std::abs(error);
  return median(std::move(errors));
}

/// Computes R^2 of the logarithms, because costs range over orders of magnitude.
double r_squared(const CurveFit& fit, std::span<const ModelPoint> points) {
  constexpr double rounding = 1e-12;
  std::vector<double> logarithms;
  double errors = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double data = points[i].cost;
    const double model = fit.curve(static_cast<double>(points[i].tasks));
    if (fit.outliers[i] || data <= 0 || model <= 0) continue;
    logarithms.push_back(std::log(data));
    errors += std::pow(std::log(model / data), 2);
  }
  const auto count = static_cast<double>(logarithms.size());
  if (errors <= count * rounding * rounding) return 1;
  const double mean = std::accumulate(logarithms.begin(), logarithms.end(), 0.0) / count;
  double variation = 0;
  for (const double logarithm : logarithms) variation += std::pow(logarithm - mean, 2);
  return std::max(0.0, 1 - errors / variation);
}

/// Returns whether neighbouring errors are similar. Errors due to noise differ from point to point,
/// especially because the curve passes between the points.
bool systematic(std::span<const double> errors) {
  double alike = 0;
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) alike += errors[i] * errors[i + 1];
  return alike > 0;
}

/// Returns the count beyond which additional tasks increase b n^c by more than they reduce a/n.
std::optional<double> cheapest(const ScalingCurve& curve) {
  if (curve.b <= 0 || curve.c <= 0) return std::nullopt;
  return std::pow(curve.a / (curve.b * curve.c), 1 / (curve.c + 1));
}

class FittedModel final : public ScalingModel {
 public:
  FittedModel(const Component& component, std::vector<ModelPoint> measured)
      : ScalingModel(std::move(measured)) {
    const CurveFit fit = fit_curve(points());
    curve_ = fit.curve;
    const std::vector<double> errors = relative_errors(curve_, points());
    quality_ = {curve_.a, curve_.b, curve_.c, curve_.d, r_squared(fit, points()), median_size(errors), {}};
    for (std::size_t i = 0; i < points().size(); ++i)
      if (fit.outliers[i]) quality_.outliers.push_back(points()[i].tasks);
    warn_of_few(component);
    warn_of_errors(component, errors);
    warn_of_outliers(component);
    warn_of_rise(component);
  }

  double cost(std::int64_t tasks) const override { return curve_(static_cast<double>(tasks)); }
  void costs(std::span<const std::int64_t> tasks, std::span<double> costs) const override {
    PLIMSOLL_EXPECT(tasks.size() == costs.size());
    if (curve_.b > 0 && curve_.c != 1) {
      std::ranges::transform(tasks, costs.begin(), [this](std::int64_t count) { return cost(count); });
    } else {
      std::ranges::transform(tasks, costs.begin(), [curve = curve_](std::int64_t count) {
        const auto n = static_cast<double>(count);
        return curve.a / n + curve.b * n + curve.d;
      });
    }
  }
  std::optional<FitQuality> quality() const override { return quality_; }

 private:
  void warn_of_few(const Component& component) {
    constexpr std::size_t enough = 4;
    const bool is_sole = warn_of_sole_point(
        component, fmt::format("perfect scaling of {:.0f} % of its cost", 100 * scaling_share));
    if (!is_sole && points().size() < enough && !cost_nothing(points()))
      warn(component,
           fmt::format("only {} measured task counts: the fit is unreliable outside their range",
                       points().size()),
           fmt::format("use measurements at {} or more task counts", enough));
  }

  void warn_of_errors(const Component& component, std::span<const double> errors) {
    if (quality_.typical_error <= 0.1) return;
    const int percent = static_cast<int>(std::lround(100 * std::min(quality_.typical_error, 1e6)));
    if (systematic(errors)) {
      warn(component,
           fmt::format("costs do not follow a/n + b n^c + d: the typical error of the fit is {} %", percent),
           "use model \"linear\"");
    } else {
      warn(component, fmt::format("noisy data: the typical error of the fit is {} %", percent),
           "use model \"linear\", or repeat the measurements");
    }
  }

  void warn_of_outliers(const Component& component) {
    for (const std::int64_t tasks : quality_.outliers)
      warn(component, fmt::format("outlier ignored: the cost at {} tasks", tasks), "measure it again");
  }

  void warn_of_rise(const Component& component) {
    const auto turn = cheapest(curve_);
    if (turn && *turn < static_cast<double>(points().back().tasks))
      warn(component, fmt::format("the cost rises beyond {:.0f} tasks", std::max(*turn, 1.0)),
           "use at most this number of tasks");
  }

  ScalingCurve curve_;
  FitQuality quality_;
};

}  // namespace

std::unique_ptr<ScalingModel> make_fitted_model(const Component& component, std::vector<ModelPoint> points) {
  return std::make_unique<FittedModel>(component, std::move(points));
}

}  // namespace plimsoll::pelayout
