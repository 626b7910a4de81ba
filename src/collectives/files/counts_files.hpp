#pragma once

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/json_text.hpp>

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
    matrix.ranks[row].for_each([&](std::uint64_t rank) {
      PLIMSOLL_EXPECT(rank < ranks);
      rows[rank] = static_cast<std::uint32_t>(row);
    });
  return rows;
}

/// Writes the file of one call of this signature, with one row per rank (not compact).
void write_call_counts(const Signature& signature, support::TextBuffer& output);

/// Reads the file of one call. If the file name does not contain the operation, the operation is inferred
/// from the rows if possible; see told_by_rows(). Errors become findings; the function then returns nothing.
std::optional<Signature> read_call_counts(std::string_view text, std::optional<Operation> operation,
                                          std::uint64_t call, Budget& budget, Findings& findings);

/// Infers the operation from counts. On several ranks, it is Alltoall if every send row and every receive row
/// has only one number. It is Allgatherv if only the send rows have one number. Otherwise it is Alltoallv.
Operation told_by_rows(const Signature& signature);

/// Content of a profile_<operation>_job<J>.rank<L>.md file about the calls of one operation.
struct ProfileSummary {
  Operation operation;
  std::uint64_t world_size = 0;   ///< 0 if unknown
  std::uint64_t total_calls = 0;  ///< including calls that are not recorded; 0 if unknown
  bool of_displacements = false;
  std::vector<const Signature*> signatures;
};

/// Writes a file named profile_<operation>_job<J>.rank<L>.md, with one data set per signature. With
/// `legacy_text`, also writes the collective profiler's placeholders for missing values: a limit of 0,
/// numbers of zeros that it did not count, and disabled sections.
void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output);

/// Reads the values that counts files do not contain: the size of MPI_COMM_WORLD and the number of calls.
/// Missing values are 0. Never fails, because no other data depend on these values.
ProfileSummary read_profile_summary(std::string_view text, Operation operation);

}  // namespace plimsoll::collectives
