#pragma once

#include <span>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::inline v0_1::pelayout {

/// Something measured, and how much it counts.
struct WeightedPoint {
  double tasks = 1;
  double cost = 0;
  double weight = 1;  ///< of the squared error; 0 leaves the point out
};

/// The curve of the least sum of weighted squared errors. For a given c that is a linear problem in a, b and
/// d, solved exactly (non-negative least squares); c is searched from 0 to 3 (variable projection: Golub,
/// Pereyra, SIAM J. Numer. Anal. 10, 1973). `fine`: with c to full precision, else to a quarter.
ScalingCurve least_squares(std::span<const WeightedPoint> points, CurveTerms terms, bool fine = true);

}  // namespace plimsoll::pelayout
