#pragma once

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Collective: creates the folders of the files that the settings ask for. If files may be overwritten, also
/// removes files that an earlier run on more ranks left there. Throws Error (system) on all ranks.
void prepare_output_folders(const mpi::Communicator& communicator, const Settings& settings);

}  // namespace plimsoll::runtime
