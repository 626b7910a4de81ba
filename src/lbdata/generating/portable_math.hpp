#pragma once

namespace plimsoll::inline v0_1::lbdata {

/// Natural logarithm of a positive normal double, and exponential of a double in [-700, 700], to a few units
/// in the last place. Made of the operations that IEEE 754 rounds correctly, so that they give the same bits
/// on every platform, which the C library's do not.
double portable_log(double value);
double portable_exp(double value);

}  // namespace plimsoll::lbdata
