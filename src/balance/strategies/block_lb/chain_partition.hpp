#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/proc_array.hpp>

namespace plimsoll::inline v0_1::balance {

/// Splits a chain of objects of the given loads (seconds at speed 1) into one block for each of `ranks`, in
/// order, such that the rank that finishes last finishes as early as possible, and every cut is as near as
/// that allows to where it were if loads could be split. Returns where each rank's block ends.
/// O(loads + ranks log loads). There must be a rank if there are loads.
std::vector<std::size_t> partition_chain(std::span<const double> loads, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks);

}  // namespace plimsoll::balance
