#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/profiler_evidence.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Finds out why the run of a command recorded nothing, from the observations of the profiler in its
/// processes, or else from the programs that the command names.
EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence);

}  // namespace plimsoll::collectives
