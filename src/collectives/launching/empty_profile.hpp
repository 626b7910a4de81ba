#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Finds out why the run of a command recorded nothing, from the observations of the profiler in its
/// processes, or else from the programs that the command names.
EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence);

}  // namespace plimsoll::collectives
