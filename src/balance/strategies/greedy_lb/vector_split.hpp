#pragma once

#include <cstdint>
#include <vector>

#include "balance/strategies/greedy_lb/vector_problem.hpp"

namespace plimsoll::balance {

/// For each item of the problem an index of `ranks`: halves the ranks again and again, and shares the items
/// out to both halves by their room, so that all dimensions come out even. Each item goes to the half that
/// leaves the smaller sum of squares of what the halves have too much; then the best of some random exchanges
/// between the halves is made, as long as that helps. O(items log ranks) for each dimension.
std::vector<std::uint32_t> split_vectors(const VectorProblem& problem);

}  // namespace plimsoll::balance
