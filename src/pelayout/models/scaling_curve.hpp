#pragma once

#include <span>
#include <vector>

namespace plimsoll::pelayout {

/// T(n) = a/n + b n^c + d, all >= 0: work that is shared out, what grows with the number of tasks, and what
/// does not change.
struct ScalingCurve {
  double a = 0, b = 0, c = 0, d = 0;
  double operator()(double tasks) const;
};

/// Which terms of it may differ from 0; a/n always may.
struct CurveTerms {
  bool growing = false;   ///< b n^c
  bool constant = false;  ///< d
  /// How many numbers are free: a; b and c; d.
  int parameters() const { return 1 + (growing ? 2 : 0) + (constant ? 1 : 0); }
};

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
