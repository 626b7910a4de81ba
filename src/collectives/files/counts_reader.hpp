#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/files/matrix_builder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The largest accepted call ID. Later IDs in a run still fit into 64 bits.
inline constexpr std::uint64_t largest_id = UINT64_MAX / 2;

/// Reads a list of distinct call IDs and takes that many numbers from the budget. Throws Malformed.
NumberList read_call_list(std::string_view text, Budget& budget, std::uint64_t line);

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

/// Combines the send and receive sides of the same calls. Block n of one file is paired with block n of the
/// other. If their calls differ, block n is paired with the block that has the same calls. A block without a
/// partner is reported and skipped.
void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures);

/// Describes an error in the sizes of the two matrices; empty if they are correct.
std::string size_problem(const Signature& signature);

}  // namespace plimsoll::collectives
