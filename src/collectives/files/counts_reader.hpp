#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/collectives/rank_log.hpp>

#include "collectives/files/findings.hpp"

namespace plimsoll::inline v0_1::collectives {

using rank_log::Content;

/// A block of a send-counters, recv-counters, send-displs or recv-displs file: one side of some calls.
struct CountsBlock {
  std::uint64_t line = 0;  ///< where it begins
  Operation operation;
  std::uint32_t comm_size = 0;
  NumberList calls;
  Side side;
};

/// Reads the blocks of such a file (format version 9). What varies between versions of the profiler and its
/// documentation is accepted: lists with and without blanks, a second colon after the ranks, blanks and empty
/// lines anywhere. A malformed block is left out and becomes a finding. The range after "calls" is not used,
/// as the profiler writes wrong ones.
std::vector<CountsBlock> read_counts(std::string_view text, Content content, Budget& budget,
                                     Findings& findings);

}  // namespace plimsoll::collectives
