#pragma once

#include <plimsoll/support/version.hpp>

#ifndef PLIMSOLL_LB_REAL_TYPE
#error "link plimsoll::balance: its CMake target defines the load type (PLIMSOLL_LB_REAL_TYPE)"
#endif

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Type of a measured time: double, or float if Plimsoll was configured with PLIMSOLL_LB_REAL_TYPE=float.
/// Sums over objects are always doubles.
using LBRealType = PLIMSOLL_LB_REAL_TYPE;

}  // namespace plimsoll::balance
