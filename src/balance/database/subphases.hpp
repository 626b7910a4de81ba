#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/lbdata/records.hpp>

#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Reads the subphases of a phase. Each ID that occurs is a subphase, in ascending order, after
/// SubphaseLoads::outside. If no task has subphases, the result is empty: the ranks do not synchronise within
/// the phase. Throws Error (bad_input) for a time that is negative or not finite, and for an ID outside of 0
/// to 65534. Throws like SubphaseLoads::zeros().
SubphaseLoads read_subphases(const Records& records, std::int64_t phase);

/// Times of a phase whose ranks synchronise after each subphase, as recorded.
struct SynchronisedPhase {
  std::uint32_t n_subphases = 0;  ///< number of subphases, without SubphaseLoads::outside
  double time_s = 0;              ///< time of the phase (phase_time())
  double outside_s = 0;           ///< load of all objects outside of subphases
};

/// Returns the same times as phase_time() of the recorded placement with read_subphases(), in less memory.
/// Empty if no task has subphases, or if they are invalid. Cost: O(tasks + subphases + ranks x different
/// IDs).
std::optional<SynchronisedPhase> synchronised_phase(const Records& records);

}  // namespace plimsoll::balance
