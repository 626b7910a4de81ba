#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plimsoll::inline v0_1::balance {

/// What it is worth to assign a column to a row.
struct Pairing {
  std::int32_t row = 0;
  std::int32_t column = 0;
  double value = 0;
};

/// Those of the same row and column as one, with the sum of their values; by row and column.
std::vector<Pairing> merged(std::vector<Pairing> pairings);

/// The column of each row so that the sum of `cost` (n rows of n) is the least possible. O(n^3). Source:
/// Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment
/// problems", 1987.
std::vector<std::int32_t> cheapest_assignment(const std::vector<double>& cost, std::size_t n);

/// The column of each of `n` rows, -1 for none: takes the pairings of positive value by descending value
/// where row and column are still free. O(pairings log pairings).
std::vector<std::int32_t> greedy_assignment(std::vector<Pairing> pairings, std::size_t n);

}  // namespace plimsoll::balance
