#pragma once

#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/internal/output_set.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Collective: creates and locks the directories of the LB data files, if the settings enable these files.
/// Rank 0 and all ranks whose files are in another directory lock their directory. Returns the lock of this
/// rank, if any. Throws Error on all ranks: usage if another program holds a lock, otherwise system.
std::optional<support::FolderLock> lock_output_folders(const mpi::Communicator& communicator,
                                                       const Settings& settings);

/// Removes the partial output files that an earlier run on more ranks left, if files may be overwritten.
/// Otherwise `plimsoll repair` would treat them as ranks of this run. Call this on rank 0 after all ranks
/// have opened their files. Throws Error: usage if another program is writing one of them, otherwise system.
void remove_streams_of_higher_ranks(const Settings& settings, int ranks);

/// Collective: renames the files that all ranks have completed (NodeLBData::end()) to their final names.
/// Removes files that an earlier run on more ranks left. Throws Error on all ranks.
void publish_data_files(const mpi::Communicator& communicator, const Settings& settings,
                        const std::optional<support::FolderLock>& lock);

}  // namespace plimsoll::runtime
