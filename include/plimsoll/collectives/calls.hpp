#pragma once

#include <array>
#include <functional>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Communicator on which calls were made, and its members.
struct CallPlace {
  const Communicator* communicator = nullptr;  ///< null if unknown
  /// Rank in MPI_COMM_WORLD of each rank of the communicator; empty if unknown. A communicator of all ranks
  /// whose lead is rank 0 is assumed to have the members of MPI_COMM_WORLD, unless the profile contains other
  /// members.
  const std::vector<std::uint32_t>* members = nullptr;
  NumberList calls;
  bool counted_elsewhere = false;  ///< is_counted_elsewhere()

  /// Returns the size of the remote group of an inter-communicator; 0 for other communicators.
  std::uint32_t remote_size() const {
    return communicator == nullptr ? 0 : static_cast<std::uint32_t>(communicator->remote_members.size());
  }
};

/// Finds the communicators on which a lead's calls were made. This requires a search because calls with equal
/// counts on two communicators share one count set. Refers to the lead. Builds member lists on demand, so
/// only one thread at a time may use an object of this class.
class CallPlaces {
 public:
  CallPlaces(const Profile& profile, const Lead& lead);

  /// Returns the calls of a count set, grouped by communicator. Calls whose communicator is unknown come
  /// last.
  std::vector<CallPlace> of(const Signature& signature) const;
  /// Returns the same, by CallPlace::remote_size(). A rank sends the same data in all calls of a group.
  std::map<std::uint32_t, std::vector<CallPlace>> by_remote_size(const Signature& signature) const;
  /// Returns a communicator and its members, without calls.
  CallPlace of_communicator(std::uint32_t id, std::uint32_t comm_size) const;
  /// Returns the communicator and members of one call.
  CallPlace of_call(const Signature& signature, std::uint64_t call) const;
  /// Returns the total number of listed communicator members, at most 2^25. Members beyond this limit are
  /// treated as unknown.
  std::uint64_t listed_members() const { return listed_members_; }

 private:
  struct CommunicatorCalls {
    NumberList::Run calls;
    std::size_t communicator;
  };
  CallPlace place(std::size_t communicator, std::uint32_t comm_size) const;
  CallPlace unknown_place(std::uint32_t comm_size) const;
  /// Lists the members of a communicator if the limit allows it. Returns whether its members are listed.
  bool expand_members(std::size_t communicator) const;

  const Lead& lead_;
  std::vector<bool> counted_elsewhere_;  // by communicator
  // Members per communicator; empty if not yet listed.
  mutable std::vector<std::vector<std::uint32_t>> members_;
  mutable std::uint64_t listed_members_ = 0;
  std::vector<std::uint32_t> world_;  // ranks 0, 1, 2 ...; only for rank 0
  std::array<std::vector<CommunicatorCalls>, Operation::count> communicator_calls_;  // ascending
};

/// The part of one rank in a call whose begin and duration were recorded.
struct TimedCall {
  const Lead* lead = nullptr;
  Operation operation;
  std::uint32_t communicator = 0;  ///< id on the lead
  std::uint64_t call = 0;          ///< id on the lead
  std::uint32_t rank = 0;          ///< in MPI_COMM_WORLD
  std::uint32_t comm_rank = 0;     ///< in the communicator
  double begin_s = 0;              ///< see Lead::begin_s
  double duration_s = 0;           ///< time in the call
};

/// Visits all calls with times, by lead, communicator and operation, in the order of their ids and then of
/// the ranks. Calls whose ranks are unknown are skipped. Cost: O(times). Throws Error (bad_input) if the
/// number of times does not fit the calls.
void for_each_timed_call(const Profile& profile, const std::function<void(const TimedCall&)>& visit);

/// Returns the Error (bad_input) for a profile without such calls.
Error no_timed_calls();

/// One call, or consecutive calls with the same counts on the same communicator. Refers to the profile.
struct CallRun {
  const Lead* lead = nullptr;
  const Signature* signature = nullptr;
  const Communicator* communicator = nullptr;  ///< null if unknown
  std::uint64_t first = 0;                     ///< id of the first call
  std::uint64_t last = 0;                      ///< id of the last call; some ids in between may be missing
  std::uint64_t calls = 1;
  std::uint64_t bytes_per_call = 0;  ///< number of bytes sent by all ranks
  double imbalance_sent = 0;         ///< imbalance of the bytes that each rank sends in one call
  double imbalance_received = 0;     ///< imbalance of the bytes that each rank receives in one call
  std::size_t pattern = 0;           ///< index among the patterns of this lead and operation
  std::optional<double> time_s;      ///< longest time of any rank in a call, summed over the calls
  std::optional<double> waited_s;    ///< total time that ranks waited for the last rank to enter
};

/// Order in which calls are listed.
enum class CallOrder {
  by_id,     ///< equal consecutive calls together, sorted by lead, operation and id
  by_bytes,  ///< equal consecutive calls together, most bytes per call first
  by_time,   ///< single calls with times, longest first
  by_wait    ///< single calls with arrival times, longest wait first
};

/// Lists the calls of a profile. Cost: O(numbers + runs); with times, O(numbers + calls).
std::vector<CallRun> list_calls(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                CallOrder order = CallOrder::by_id);

/// All recorded data of one call. Refers to the profile.
struct CallDetail {
  CallRun call;
  const Signature* displacements = nullptr;  ///< null if displacements were not recorded
  /// Rank in MPI_COMM_WORLD of each rank of the communicator; empty if unknown.
  std::vector<std::uint32_t> members;
  // Values for each rank of the communicator; empty if unknown.
  std::vector<double> times_s;
  std::vector<double> late_arrival_s;  ///< see Lead::late_arrival_s
  std::vector<double> begin_s;         ///< see Lead::begin_s
  std::vector<const Backtrace*> backtraces;
};

/// Finds a lead's calls with this id: at most one per operation and job. Throws Error (usage) if the lead has
/// no such call.
std::vector<CallDetail> find_call(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                  std::uint32_t lead, std::uint64_t call);

}  // namespace plimsoll::collectives
