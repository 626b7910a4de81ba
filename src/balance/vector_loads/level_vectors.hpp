#pragma once

#include "balance/vector_loads/vector_ranks.hpp"

namespace plimsoll::inline v0_1::balance {

/// Lowers the greatest load of an available rank in any dimension to `target`, with few moves; ends where
/// nothing helps. It never rises.
///
/// The highest rank gives an object to one of those that have least of what it has most: the move that
/// lowers the squares of deviations from the averages most, excess counting a hundredfold. Where no move
/// lowers the higher of the two, it exchanges an object with one of these or with random ranks, so that the
/// higher of the two becomes lowest. A step looks at a fixed number of objects and ranks, random ones where
/// there are more; the seed is fixed. There are at most 16 steps for each object, and all look at no more
/// than 2^24 exchanges, and 8 for each object.
void level_vectors(VectorRanks& ranks, double target);

/// Moves every object off the ranks that are not available, those of greatest load in any dimension first,
/// each to the lowest afterwards of those ranks that have least in one dimension or in all. O(log ranks) for
/// each object and dimension.
void evacuate_vectors(VectorRanks& ranks);

}  // namespace plimsoll::balance
