#pragma once

#include <span>

#include "pelayout/models/scaling_curve.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

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

}  // namespace plimsoll::pelayout
