#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/scaling_model.hpp>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// A curve that was fitted to points.
struct CurveFit {
  ScalingCurve curve;
  std::vector<bool> outliers;  ///< of the points: those that it was not fitted to
};

/// Fits a curve to measured points, by tasks. It has no more terms than pay: each free number costs as much
/// as generalised cross-validation (Craven, Wahba, Numer. Math. 31, 1979) says; and so does each outlier, of
/// which 7 to 1000 points may have some. One point gives a/n, two a/n + d. Errors are proportional to the
/// cost, as the noise of machines is. With fewer than 7 points they are rather what the form cannot follow:
/// then ordinary least squares (as HSLB has them) stand unless the likelihood speaks for proportional errors
/// (by Akaike's criterion).
CurveFit fit_curve(std::span<const ModelPoint> points);

}  // namespace plimsoll::pelayout
