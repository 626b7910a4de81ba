#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

using rank_log::Content;

/// A block of a send-counters, recv-counters, send-displs or recv-displs file: one side of some calls.
struct CountsBlock {
  std::uint64_t line = 0;  ///< line where the block begins
  Operation operation;
  std::uint32_t comm_size = 0;
  NumberList calls;
  Side side;
};

/// Reads the blocks of a send-counters, recv-counters, send-displs or recv-displs file (format version 9).
/// Accepts the variants that occur in versions of the collective profiler and in its documentation: lists
/// with and without spaces, a second colon after the ranks, and spaces and empty lines anywhere. A malformed
/// block is skipped and becomes a finding. The range after "calls" is not used, because the collective
/// profiler writes wrong ranges.
std::vector<CountsBlock> read_counts(std::string_view text, Content content, Budget& budget,
                                     Findings& findings);

}  // namespace plimsoll::collectives
