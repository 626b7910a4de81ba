#pragma once

#include <plimsoll/collectives/number_list.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/log_reader.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The calls of one operation on one communicator, as one of its ranks recorded them.
struct MemberCalls {
  std::uint32_t comm_rank = 0;
  const RankLog* log = nullptr;
  const LogCommunicator* communicator = nullptr;
  const CallRuns* calls = nullptr;
  const std::vector<LogTime>* times = nullptr;   ///< null if no times were recorded
  const std::vector<LogHash>* hashes = nullptr;  ///< null if no hashes were recorded
};

/// Calls in which each rank used the same row every time.
struct CallGroup {
  std::uint64_t index = 0;  ///< index of the first call
  NumberList ids;           ///< IDs on the lead, ascending
};

struct GroupedCalls {
  std::vector<CallGroup> groups;  ///< ordered by first call
  std::uint64_t incomplete = 0;   ///< calls that some of the ranks recorded, but not all
};

/// Groups the calls that all `comm_size` ranks recorded by the rows that they used. `members` are sorted by
/// comm_rank, each occurs once, and rank 0 is the lead. Each call gets the XOR of the digests of all ranks'
/// rows in this call, which avoids pairwise comparisons. Time: O(runs + calls), or O(runs) where calls
/// continue unchanged.
GroupedCalls group_calls(std::span<const MemberCalls> members, std::uint32_t comm_size);

/// Returns the signature of the call with this index, without call IDs. It contains the rows of all ranks of
/// the communicator; equal rows are stored once. `members` are all ranks of the communicator, sorted by
/// comm_rank. Returns nothing if a member did not record the call.
std::optional<Signature> signature_of(std::span<const MemberCalls> members, Operation operation,
                                      std::uint64_t index);

/// The distinct signatures of a lead, regardless of their communicators.
class SignatureSet {
 public:
  /// Adds a signature; if it already exists, adds only its calls.
  void add(Signature signature);
  /// Returns the signatures in order of operation, then of first call.
  std::vector<Signature> take();

 private:
  std::vector<Signature> signatures_;
  SignatureIndex by_counts_;
};

}  // namespace plimsoll::collectives
