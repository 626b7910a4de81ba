#pragma once

#include <unordered_map>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/call_groups.hpp"
#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Relation between the clocks of one rank and rank 0. The offset is interpolated linearly from the first
/// comparison to the last.
class RankClock {
 public:
  /// Returns the relation, or nothing if the clocks were never compared.
  static std::optional<RankClock> of(std::span<const rank_log::ClockRecord> comparisons);

  /// Returns the seconds from the origin (rank 0 leaves MPI_Init) to this rank's `local_ns`.
  double seconds_since_origin(std::uint64_t local_ns) const;

 private:
  explicit RankClock(std::span<const rank_log::ClockRecord> comparisons)
      : first_(comparisons.front()), last_(comparisons.back()) {}

  rank_log::ClockRecord first_;
  rank_log::ClockRecord last_;
};

/// Times of the calls that were timed on all ranks of a communicator. Values are empty if no such calls
/// exist, or if the clocks of the ranks cannot be compared.
struct MergedTimes {
  RankValues execution_s;
  RankValues begin_s;
  RankValues late_arrival_s;
};

/// Merges the times of a communicator. `members` are all its ranks in order; `id` is its number on the lead.
MergedTimes merge_times(std::span<const MemberCalls> members, Operation operation, std::uint32_t id);

/// Merges the hashes of the data that the ranks of a communicator sent and received. Contains the calls of
/// the lead for which any rank recorded a hash. `members` are all its ranks in order; `id` is its number on
/// the lead. O(hashes).
RankHashes merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id);

/// IDs of communicators, which the leads assign, keyed by the communicators in the leads' logs.
using CommunicatorIds = std::unordered_map<const LogCommunicator*, std::uint32_t>;

/// Returns the call stacks from which a lead called collectives on the communicators that it leads. `ids`
/// contains these communicators.
std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names);

}  // namespace plimsoll::collectives
