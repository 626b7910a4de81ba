#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Relative difference up to which two sums of loads or bytes count as equal. Sums of the same numbers in
/// another order differ by less, and so does a rank that is filled exactly to its limit. A smaller gain is no
/// gain.
inline constexpr double rounding_error = 1e-12;

}  // namespace plimsoll::balance
