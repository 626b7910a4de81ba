#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the index of each rank's row. The matrix must contain each of the ranks 0, 1, 2, ... once, in any
/// order.
inline std::vector<std::uint32_t> rows_by_rank(const CountMatrix& matrix) {
  std::uint64_t ranks = 0;
  for (const NumberList& list : matrix.ranks) ranks += list.size();
  std::vector<std::uint32_t> rows(ranks);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    matrix.ranks[row].for_each([&](std::uint64_t rank) {
      PLIMSOLL_EXPECT(rank < ranks);
      rows[rank] = static_cast<std::uint32_t>(row);
    });
  return rows;
}

}  // namespace plimsoll::collectives
