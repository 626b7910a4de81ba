#pragma once

#include <optional>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/folder_lock.hpp>

namespace plimsoll::inline v0_1::runtime {

/// Collective: creates the folders of the files that the settings ask for, and locks the folder of the LB
/// data files: rank 0 does, and every rank whose files are in another folder. Returns the lock of this rank,
/// if it has one. Throws Error on all ranks: usage if another program has a lock; system.
std::optional<support::FolderLock> lock_output_folders(const mpi::Communicator& communicator,
                                                       const Settings& settings);

/// For rank 0, once all ranks have opened their files: removes the streams that an earlier run on more ranks
/// left, if files may be overwritten; else `plimsoll repair` would take them for ranks of this run. Throws
/// Error: usage if one is being written; system.
void remove_streams_of_higher_ranks(const Settings& settings, int ranks);

/// Collective: gives the files of all ranks their names, which they have ended (NodeLBData::end()), and
/// removes files that an earlier run on more ranks left. Throws Error on all ranks.
void publish_data_files(const mpi::Communicator& communicator, const Settings& settings,
                        const std::optional<support::FolderLock>& lock);

}  // namespace plimsoll::runtime
