#pragma once

#include "collectives/merging/log_damage.hpp"
#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Removes from a log the calls that failed, and calls with negative counts, which MPI refuses. If the
/// program ended, the latter should have failed: throws as fail_at(). Cost: O(runs + failures, and their
/// overlaps).
void remove_failed_calls(RankLog& log, ScatteredCalls& scattered);

}  // namespace plimsoll::collectives
