#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

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

}  // namespace plimsoll::balance
