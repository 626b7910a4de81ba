#pragma once

#include <algorithm>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the imbalance of some loads, max / mean - 1; 0 unless the mean is above 0.
inline double imbalance(double max, double mean) {
  return mean > 0 ? std::max(0.0, max / mean - 1) : 0;  // rounding can make it negative
}

}  // namespace plimsoll::support
