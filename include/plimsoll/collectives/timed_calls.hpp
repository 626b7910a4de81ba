#pragma once

#include <cstdint>
#include <functional>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

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

}  // namespace plimsoll::collectives
