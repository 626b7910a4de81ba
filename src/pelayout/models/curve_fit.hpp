#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// A curve fitted to points.
struct CurveFit {
  ScalingCurve curve;
  std::vector<bool> outliers;  ///< whether each point is an outlier, which the fit excludes
};

/// Fits a curve to measured points that are sorted by tasks. A term is added only if it improves the fit
/// enough: each parameter has the penalty of generalised cross-validation (Craven, Wahba, Numer. Math. 31,
/// 1979). Outliers have the same penalty; they are possible with 7 to 1000 points. One point gives a/n, two
/// give a/n + d. Errors are assumed to be proportional to the cost, like the noise of machines. With fewer
/// than 7 points, errors mostly come from the formula itself. Then the unweighted sum of squared errors is
/// minimised, as in HSLB, unless the likelihood favours proportional errors (Akaike's criterion).
CurveFit fit_curve(std::span<const ModelPoint> points);

}  // namespace plimsoll::pelayout
