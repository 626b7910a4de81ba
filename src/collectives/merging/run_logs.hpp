#pragma once

#include <span>
#include <vector>

#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Reads the logs of one run: each rank once, by rank. Logs that are none, or do not belong to the others,
/// become findings. Throws Error (bad_input) if they are of several runs, or none is a log.
std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress);

}  // namespace plimsoll::collectives
