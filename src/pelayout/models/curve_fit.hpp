#pragma once

#include <cmath>

#include <plimsoll/pelayout/scaling_model.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Curve T(n) = a/n + b n^c + d, all >= 0: work that is distributed, cost that grows with the task count, and
/// constant cost.
struct ScalingCurve {
  double a = 0, b = 0, c = 0, d = 0;
  double operator()(double tasks) const { return a / tasks + (b > 0 ? b * std::pow(tasks, c) : 0) + d; }
};

/// Terms of the curve that may be non-zero, in addition to a/n.
struct CurveTerms {
  bool growing = false;   ///< term b n^c
  bool constant = false;  ///< term d
  bool root = false;      ///< term b n^c with c = 1/2, if not `growing`
  /// Returns the number of free parameters: a; b and c, or b; d.
  int parameters() const { return 1 + (growing ? 2 : (root ? 1 : 0)) + (constant ? 1 : 0); }
};

/// A measured point with its weight.
struct WeightedPoint {
  double tasks = 1;
  double cost = 0;
  double weight = 1;  ///< weight of the squared error; 0 excludes the point
};

/// Returns the curve with the minimum sum of weighted squared errors. For a given c this is a linear problem
/// in a, b and d >= 0, which is solved exactly. The exponent c is searched from 0 to 3 (variable projection:
/// Golub, Pereyra, SIAM J. Numer. Anal. 10, 1973). If `fine`, c has full precision; otherwise it is a
/// multiple of 1/4.
ScalingCurve least_squares(std::span<const WeightedPoint> points, CurveTerms terms, bool fine = true);

/// A curve fitted to points.
struct CurveFit {
  ScalingCurve curve;
  std::vector<bool> outliers;  ///< whether each point is an outlier, which the fit excludes
};

/// Fits a curve to measured points that are sorted by tasks. The sum of squared relative errors is minimised,
/// because the noise of machines is proportional to the cost. Of one point, scaling_share scales. The curve
/// of two points is a/n + d, that of more points a/n + b n^(1/2) + d: without the last two terms, costs
/// beyond the last point are extrapolated too low, because real curves turn. Another exponent replaces 1/2
/// only if the costs rise at more than the last point, and if it improves the fit by more than the penalty of
/// generalised cross-validation for its parameters (Craven, Wahba, Numer. Math. 31, 1979). Otherwise, noise
/// of the last point would multiply beyond it. Outliers have the same penalty; they are possible with 7 to
/// 1000 points.
CurveFit fit_curve(std::span<const ModelPoint> points);

}  // namespace plimsoll::pelayout
