#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/version.hpp>

#include "balance/search/work_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Value of assigning a column to a row.
struct Pairing {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0;
};

/// Merges pairings with the same row and column, and adds their values. The result is sorted by row and
/// column.
std::vector<Pairing> merged(std::vector<Pairing> pairings);

/// Returns the column of each row that minimises the sum of `cost` (n x n, row by row). Cost: O(n^3). Source:
/// Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems", 1987.
std::vector<std::int32_t> cheapest_assignment(const std::vector<double>& cost, std::size_t n);

/// Returns the column of each of `n` rows, or -1 for none. Accepts pairings with positive value in descending
/// order if row and column are still free. Cost: O(pairings log pairings).
std::vector<std::int32_t> greedy_assignment(std::vector<Pairing> pairings, std::size_t n);

/// Returns for each rank the first available rank that equals it, or the rank itself if no such rank precedes
/// it. Swapping all objects of two equal ranks never changes the maximum work or memory. `fixed` contains the
/// non-migratable objects in their places, and no other objects.
std::vector<std::int32_t> first_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                            const WorkState& fixed);

/// Returns a new number for each rank: equal ranks are permuted such that the sum of the values of kept
/// pairings is a maximum. A pairing is kept if the rank of its row gets the number of its column. Exact for
/// up to 256 equal ranks.
std::vector<std::int32_t> labels_of_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                                std::span<const Pairing> kept);

/// Returns an equally good placement that keeps the groups of objects, but permutes equal ranks. Each group
/// goes to the equal rank that has most of it at from_proc: most bytes if sizes are known, else most objects.
/// Exact for up to 256 equal ranks.
std::vector<std::int32_t> relabel_equal_ranks(const LDStats& stats, const WorkGoal& goal,
                                              std::vector<std::int32_t> placement);

}  // namespace plimsoll::balance
