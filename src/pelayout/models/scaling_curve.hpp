#pragma once

#include <cmath>

namespace plimsoll::inline v0_1::pelayout {

/// T(n) = a/n + b n^c + d, all >= 0: work that is shared out, what grows with the number of tasks, and what
/// does not change.
struct ScalingCurve {
  double a = 0, b = 0, c = 0, d = 0;
  double operator()(double tasks) const { return a / tasks + (b > 0 ? b * std::pow(tasks, c) : 0) + d; }
};

/// Which terms of it may differ from 0; a/n always may.
struct CurveTerms {
  bool growing = false;   ///< b n^c
  bool constant = false;  ///< d
  /// How many numbers are free: a; b and c; d.
  int parameters() const { return 1 + (growing ? 2 : 0) + (constant ? 1 : 0); }
};

}  // namespace plimsoll::pelayout
