#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

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
