#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Places all migratable objects from scratch by recursive bisection of the available ranks. Each step
/// distributes the objects over both halves in proportion to their capacity, so that all dimensions are
/// balanced. Objects are processed in descending order of their maximum load in any dimension. Each goes to
/// the half that minimises the sum of squares of the halves' excess. Then the best of some random swaps
/// between the halves is applied, as long as that helps. Non-migratable objects stay at from_proc. Cost:
/// O(objects log ranks) per dimension.
std::vector<std::int32_t> split_vectors(const LDStats& stats, const ProcArray& procs,
                                        const VectorLoads& loads);

}  // namespace plimsoll::balance
