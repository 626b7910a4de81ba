#pragma once

#include <span>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/work_model.hpp>

namespace plimsoll::inline v0_1::balance {

/// A work that no placement can have less than, as the greatest of a rank: all load spread evenly over the
/// available ranks, in steps of what all loads are multiples of; the heaviest object; the objects that must
/// share a rank; and what is fixed on one. Traffic and homing count as 0. O(objects log objects).
double least_max_work(const LDStats& stats, const WorkCoefficients& coefficients);

/// The greatest number that all loads are multiples of, 0 if there is no load. Exact, so that measured loads
/// have a tiny one, and loads in whole units 1 or more.
double common_unit(std::span<const double> loads);

}  // namespace plimsoll::balance
