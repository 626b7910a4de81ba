#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Return the natural logarithm of a positive normal double, or the exponential of a double in [-700, 700],
/// accurate to a few units in the last place. Both functions use only operations that IEEE 754 rounds
/// correctly. Unlike the C library's functions, they therefore give the same bits on every platform.
double portable_log(double value);
double portable_exp(double value);

}  // namespace plimsoll::lbdata
