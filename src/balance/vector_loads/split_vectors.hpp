#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/proc_array.hpp>

#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::inline v0_1::balance {

/// Places all migratable objects anew: halves the available ranks again and again, and shares the objects out
/// to both halves by their room, so that all dimensions come out even. Each object, those of greatest load in
/// any dimension first, goes to the half that leaves the smaller sum of squares of what the halves have too
/// much; then the best of some random exchanges between the halves is made, as long as that helps. The others
/// stay at from_proc. O(objects log ranks) for each dimension.
std::vector<std::int32_t> split_vectors(const LDStats& stats, const ProcArray& procs,
                                        const VectorLoads& loads);

}  // namespace plimsoll::balance
