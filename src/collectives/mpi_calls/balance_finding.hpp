#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_findings.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns what balanced work would gain, and where the work differs. Returns nothing if the efficiencies are
/// unknown.
std::optional<Finding> load_balance(const MpiCalls& calls, const MpiSummary& run,
                                    const std::vector<std::string>& paths);

/// Returns whether balanced work would gain no relevant part of the run.
bool is_balanced(const MpiSummary& run);

/// Returns whether the rank with the most time outside MPI was recorded for clearly less time than another
/// one, because it paused or called MPI_Finalize early: then its times do not explain those of the run.
bool is_busiest_rank_short(const MpiSummary& run);

}  // namespace plimsoll::collectives
