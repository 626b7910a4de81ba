#pragma once

#include "balance/vector_loads/vector_ranks.hpp"

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

}  // namespace plimsoll::balance
