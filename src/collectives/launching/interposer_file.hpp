#pragma once

#include <string>

#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Returns the absolute path of the profiler's library for an MPI, or of the file `chosen` if it is not
/// empty. Searches the installation tree of Plimsoll's shared library, the tree of the running program,
/// LD_LIBRARY_PATH and the configured installation prefix. Throws ProfileLaunchError: system if the file does
/// not exist, usage if LD_PRELOAD cannot name it.
std::string find_interposer(MpiFlavour flavour, const std::string& chosen);

}  // namespace plimsoll::collectives
