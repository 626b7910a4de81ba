#pragma once

#include <string>

#include <plimsoll/collectives/profile_launch.hpp>
#include <plimsoll/collectives/profiling_options.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the absolute paths of the libraries that record the contents of these options with an MPI,
/// separated by a colon. `chosen` replaces the library that records collectives if it is not empty. Searches
/// the installation tree of Plimsoll's shared library, the tree of the running program, LD_LIBRARY_PATH and
/// the configured installation prefix. Throws ProfileLaunchError: system if a file does not exist, usage if
/// LD_PRELOAD cannot name it.
std::string find_interposers(MpiFlavour flavour, const ProfilingOptions& options, const std::string& chosen);

}  // namespace plimsoll::collectives
