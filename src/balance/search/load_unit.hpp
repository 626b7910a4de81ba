#pragma once

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Returns the largest time of which all loads of migratable objects are multiples, within rounding errors;
/// 0 if it would be below `minimum`. Whole numbers have a unit of at least 1; measured times
/// usually have none.
/// Source: Euclid's algorithm on floating-point numbers. Cost: O(objects), but usually O(1), because the
/// first few loads of measured times already have no common unit.
double load_unit(const LDStats& stats, double minimum);

/// Returns the largest time of which the finish times of all available ranks are multiples for every
/// placement; 0 if it would be below 10^-6 times the mean finish time, or if the ranks have different
/// speeds.
double finish_time_unit(const LDStats& stats, const ProcArray& procs);

/// Returns whether `load` is a multiple of `unit` within rounding errors.
bool is_multiple(double load, double unit);

}  // namespace plimsoll::balance
