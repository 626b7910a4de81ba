#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// One call, or consecutive calls with the same counts on the same communicator. Refers to the profile.
struct CallRun {
  const Lead* lead = nullptr;
  const Signature* signature = nullptr;
  const Communicator* communicator = nullptr;  ///< null if not known
  std::uint64_t first = 0;                     ///< ids of the first and the last call; calls of
  std::uint64_t last = 0;                      ///< other ids may be missing between them
  std::uint64_t calls = 1;
  std::uint64_t bytes_per_call = 0;  ///< sent by all ranks
  std::size_t pattern = 0;           ///< its number among the patterns of lead and operation
  std::optional<double> time_s;      ///< in the calls on the rank that was in them longest, added up
  std::optional<double> waited_s;    ///< by all ranks for the latest
};

/// Order in which calls are listed.
enum class CallOrder {
  by_id,     ///< equal calls in a row together, by lead, operation and id
  by_bytes,  ///< the same, most bytes a call first
  by_time,   ///< one by one those with times, longest first
  by_wait    ///< one by one those with arrivals, most waiting first
};

/// Lists the calls of a profile. O(numbers + runs), with times O(numbers + calls).
std::vector<CallRun> list_calls(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                CallOrder order = CallOrder::by_id);

/// Everything that a profile contains about one call. Refers to the profile.
struct CallDetail {
  CallRun call;
  const Signature* displacements = nullptr;  ///< null if they were not recorded
  /// Rank in MPI_COMM_WORLD of each rank of the communicator; empty if unknown.
  std::vector<std::uint32_t> members;
  // Values for each rank of the communicator; empty if unknown.
  std::vector<double> times_s;
  std::vector<double> late_arrival_s;  ///< as in Lead
  std::vector<double> begin_s;         ///< as in Lead
  std::vector<const Backtrace*> backtraces;
};

/// Finds the calls to which a lead gives this id: one for each operation and job that has one. Throws Error
/// (usage) if the lead has no such call.
std::vector<CallDetail> find_call(const Profile& profile, const std::vector<LeadPatterns>& patterns,
                                  std::uint32_t lead, std::uint64_t call);

}  // namespace plimsoll::collectives
