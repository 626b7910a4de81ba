#pragma once

#include <span>
#include <vector>

#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Reads the logs of one run, one per rank, by rank. Inputs that are not logs, or belong to another run,
/// become findings. Throws Error (bad_input) if the logs are of several runs, or if no input is a log.
std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress);

}  // namespace plimsoll::collectives
