#pragma once

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// The steps that a merge follows one by one are limited, because a few bytes can describe many.
inline constexpr const char* too_many_steps = "too many non-consecutive calls to merge";

/// Subtracts steps from those that may be followed. Returns false, and subtracts nothing, if they are too
/// many.
inline bool may_follow(std::uint64_t steps, std::uint64_t& steps_to_follow) {
  if (steps > steps_to_follow) return false;
  steps_to_follow -= steps;
  return true;
}

/// Reads all sequences of calls of a log once, and summarises them. Damaged sequences are kept up to the
/// damage; then throws Error (bad_input) for the first one, and if the program ended although it passed
/// negative counts, which MPI refuses. O(runs + failures).
void check_sequences(RankLog& log, std::uint64_t& steps_to_follow);

}  // namespace plimsoll::collectives
