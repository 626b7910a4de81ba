#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Splits a chain of objects with the given loads (seconds at speed 1) into one block per rank of `ranks`, in
/// order. The blocks minimise the maximum finish time. Within that, every cut is as near as possible to its
/// position for divisible loads. Returns the end of each rank's block. Cost: O(loads + ranks log loads).
/// Requires non-empty `ranks` if `loads` is not empty.
std::vector<std::size_t> partition_chain(std::span<const double> loads, const ProcArray& procs,
                                         std::span<const std::int32_t> ranks);

}  // namespace plimsoll::balance
