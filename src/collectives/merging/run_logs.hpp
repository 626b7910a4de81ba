#pragma once

#include <span>
#include <vector>

#include <plimsoll/collectives/merge.hpp>

#include "collectives/merging/log_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Reads the logs of one run, and returns one per rank, sorted by rank. Inputs that are not logs, or belong
/// to another run, become findings. Throws Error (bad_input) if the logs belong to several runs, or if no
/// input is a log.
std::vector<RankLog> read_logs_of_run(std::span<const LogContent> contents, const MergeLimits& limits,
                                      std::vector<Diagnostic>& findings, support::Progress& progress);

}  // namespace plimsoll::collectives
