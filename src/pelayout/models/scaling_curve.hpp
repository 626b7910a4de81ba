#pragma once

#include <cmath>

#include <plimsoll/support/version.hpp>

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
  /// Returns the number of free parameters: a; b and c; d.
  int parameters() const { return 1 + (growing ? 2 : 0) + (constant ? 1 : 0); }
};

}  // namespace plimsoll::pelayout
