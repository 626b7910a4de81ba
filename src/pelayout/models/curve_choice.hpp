#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::pelayout {

/// A curve that was fitted to points.
struct CurveFit {
  ScalingCurve curve;
  std::vector<bool> outliers;  ///< of the points: those that it was not fitted to
};

/// Fits a curve to measured points, by tasks. It has no more terms than pay: each free number costs as much
/// as generalised cross-validation (Craven, Wahba, Numer. Math. 31, 1979) says. So is decided
/// - which points are outliers: each takes a number of its own,
/// - which terms the curve has,
/// - whether errors are constant, as ordinary least squares (and HSLB) take them, or grow with the cost, as
///   the noise of a machine does: that is a number too.
/// Outliers are looked for among 7 to 1000 points. One point gives a/n, two a/n + d.
CurveFit fit_curve(std::span<const ModelPoint> points);

}  // namespace plimsoll::pelayout
