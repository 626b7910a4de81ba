#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

#include "balance/vector_loads/vector_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Reduces the maximum load of an available rank in any dimension to `target`, with few migrations. Ends if
/// no step helps. The maximum never increases.
///
/// The most loaded rank gives an object to one of the ranks with the lowest load in the dimension of this
/// maximum. The migration minimises the sum of squared deviations from the averages, in which load above the
/// average counts a hundredfold. If no migration lowers the maximum of the two ranks, the most loaded rank
/// swaps an object. Partners are these ranks and random ranks, and the swap minimises the maximum of the two
/// ranks. A step inspects a fixed number of objects and ranks, chosen at random if more exist; the seed is
/// fixed. The number of steps is at most 16 per object. All steps together inspect at most 2^24 swaps, plus 8
/// per object.
void level_vectors(VectorRanks& ranks, double target);

/// Migrates every object away from unavailable ranks, in descending order of the objects' maximum load in any
/// dimension. Candidates are the ranks with the lowest load in one dimension or in all. Each object goes to
/// the candidate whose maximum load is the lowest afterwards. Cost: O(log ranks) per object and dimension.
void evacuate_vectors(VectorRanks& ranks);

/// Places all migratable objects from scratch by recursive bisection of the available ranks. Each step
/// distributes the objects over both halves in proportion to their capacity, so that all dimensions are
/// balanced. Objects are processed in descending order of their maximum load in any dimension. Each goes to
/// the half that minimises the sum of squares of the halves' excess. Then the best of some random swaps
/// between the halves is applied, as long as that helps. Non-migratable objects stay at from_proc. Cost:
/// O(objects log ranks) per dimension.
std::vector<std::int32_t> split_vectors(const LDStats& stats, const ProcArray& procs,
                                        const VectorLoads& loads);

}  // namespace plimsoll::balance
