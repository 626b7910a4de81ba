#pragma once

#include <unordered_map>

#include <plimsoll/collectives/internal/frame_names.hpp>

#include "collectives/merging/log_reader.hpp"

/// The steps of merge().
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The calls of one operation on one communicator, as one of its ranks recorded them.
struct MemberCalls {
  std::uint32_t comm_rank = 0;
  const RankLog* log = nullptr;
  const LogCommunicator* communicator = nullptr;
  const CallRuns* calls = nullptr;
  const std::vector<LogTime>* times = nullptr;              ///< null if no times were recorded
  const std::vector<rank_log::CallHash>* hashes = nullptr;  ///< null if no hashes were recorded
};

/// Calls in which each rank used the same row every time.
struct CallGroup {
  std::uint64_t index = 0;  ///< index of the first call
  NumberList ids;           ///< IDs on the lead, ascending
};

struct GroupedCalls {
  std::vector<CallGroup> groups;  ///< ordered by first call
  NumberList ids;                 ///< IDs of the calls of all groups, by index
  std::uint64_t incomplete = 0;   ///< calls that some of the ranks recorded, but not all
};

/// Groups the calls that all `comm_size` ranks recorded by the rows that they used. `members` are sorted by
/// comm_rank, each occurs once, and rank 0 is the lead. Each call gets the XOR of the digests of all ranks'
/// rows in this call, which avoids pairwise comparisons. Time: O(runs + calls), or O(runs) where calls
/// continue unchanged or repeat a cycle.
GroupedCalls group_calls(std::span<const MemberCalls> members, std::uint32_t comm_size);

/// Finds the signatures of calls in ascending order of their indices. `members` are all ranks of the
/// communicator, sorted by comm_rank; they must outlive this object.
class SignatureFinder {
 public:
  SignatureFinder(std::span<const MemberCalls> members, Operation operation);
  /// Returns the signature of the call with this index, without call IDs. It contains the rows of all ranks
  /// of the communicator; equal rows are stored once. Returns nothing if a member did not record the call.
  std::optional<Signature> find(std::uint64_t index);

 private:
  std::span<const MemberCalls> members_;
  Operation operation_;
  std::vector<CallFinder> calls_;  // of each member
};

/// Merges the times of the calls that were timed on all ranks of a communicator, and adds them to the lead.
/// Begins and late arrivals are added only if the clocks of all ranks can be compared. `members` are all
/// ranks of the communicator in order; `id` is its number on the lead.
void merge_times(std::span<const MemberCalls> members, Operation operation, std::uint32_t id, Lead& lead);

/// Merges the hashes of the data that the ranks sent and received in the same way, for the calls of the lead
/// for which any rank recorded a hash. O(hashes).
void merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id, Lead& lead);

/// IDs of communicators, which the leads assign, keyed by the communicators in the leads' logs.
using CommunicatorIds = std::unordered_map<const LogCommunicator*, std::uint32_t>;

/// Returns the call stacks from which a lead called collectives on the communicators that it leads. `ids`
/// contains these communicators.
std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names);

}  // namespace plimsoll::collectives
