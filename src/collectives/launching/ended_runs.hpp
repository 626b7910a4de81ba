#pragma once

#include <map>
#include <string>
#include <vector>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/files.hpp>

#include "collectives/launching/launch_steps.hpp"

/// What `plimsoll profile` does with the sums over MPI calls that ranks keep in files (rank_sums.hpp).
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Files of a directory before the launch.
using EarlierFiles = std::map<std::string, support::FileIdentity>;

/// Returns the runs of a launch that have files of MPI calls.
std::vector<LoggedRun> runs_with_mpi_calls(const std::string& folder, const CollectedEvidence& evidence);

/// Returns the directory for the profile of a run (see folder_of_run()).
std::string folder_for(const std::string& folder, const std::string& run, const CollectedEvidence& evidence);

/// Writes the MPI calls of the runs that ended without doing so, and removes the files of their ranks. Runs
/// that have not ended are left alone. These, and runs whose calls cannot be written, are added to
/// `unmerged`.
std::vector<CutRun> write_calls_of_ended_runs(const ProfileLaunch& launch, const CollectedEvidence& evidence,
                                              const EarlierFiles& earlier,
                                              std::vector<UnmergedRun>& unmerged);

}  // namespace plimsoll::collectives
