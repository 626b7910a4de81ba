#pragma once

#include <cstdint>
#include <vector>

#include "balance/strategies/greedy_lb/vector_problem.hpp"

namespace plimsoll::balance {

/// Lowers the greatest time of any rank in any dimension until it is within 10^-4 of the problem's bound or
/// nothing helps: the rank that has it gives an item to another, or changes one with it, so that the later of
/// the two finishes earliest. `rank_of` has an index of `ranks` for each item. The work is bounded by
/// O(items + 2^22) such exchanges looked at.
void repair_vectors(const VectorProblem& problem, std::vector<std::uint32_t>& rank_of);

}  // namespace plimsoll::balance
