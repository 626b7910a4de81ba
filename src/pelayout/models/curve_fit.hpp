#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A curve fitted to points.
struct CurveFit {
  ScalingCurve curve;
  std::vector<bool> outliers;  ///< whether each point is an outlier, which the fit excludes
};

/// Fits a curve to measured points that are sorted by tasks. The sum of squared relative errors is minimised,
/// because the noise of machines is proportional to the cost. The curve is a/n + d; one point gives a/n. The
/// constant d is always included: without it, costs beyond the last point are extrapolated too low. The term
/// b n^c is added only if the costs rise at more than the last point, and if it improves the fit by more than
/// the penalty of generalised cross-validation for its parameters (Craven, Wahba, Numer. Math. 31, 1979).
/// Otherwise, noise of the last point would multiply beyond it. Outliers have the same penalty; they are
/// possible with 7 to 1000 points.
CurveFit fit_curve(std::span<const ModelPoint> points);

}  // namespace plimsoll::pelayout
