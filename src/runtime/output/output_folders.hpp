#pragma once

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Collective: makes the folders of the files that the settings ask for, and removes what an earlier run on
/// more ranks left there if files may be overwritten. Throws Error (system) on all ranks.
void prepare_output_folders(const mpi::Communicator& communicator, const Settings& settings);

}  // namespace plimsoll::runtime
