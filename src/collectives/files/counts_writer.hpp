#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/json_text.hpp>

#include "collectives/files/counts_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes a send-counters, recv-counters, send-displs or recv-displs file (format version 9), with one block
/// per signature. With legacy_text, writes the text of the collective profiler, including its errors.
/// The ranges of calls in that text begin at the first call selected for recording, and their length is the
/// number of calls. Equal rows of Alltoall are listed separately.
void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output);

/// Returns the index of each rank's row. The matrix must contain each of the ranks 0, 1, 2, ... once, in any
/// order.
inline std::vector<std::uint32_t> rows_by_rank(const CountMatrix& matrix) {
  std::uint64_t ranks = 0;
  for (const NumberList& list : matrix.ranks) ranks += list.size();
  std::vector<std::uint32_t> rows(ranks);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    matrix.ranks[row].for_each([&](std::uint64_t rank) { rows[rank] = static_cast<std::uint32_t>(row); });
  return rows;
}

}  // namespace plimsoll::collectives
