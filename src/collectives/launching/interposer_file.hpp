#pragma once

#include <string>

#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::collectives {

/// The profiler's library for an MPI, or the file `chosen` if that is not empty; an absolute path. It is
/// looked for beside the running program as it is installed, or as it is built, and where Plimsoll was
/// installed. Throws Error (system) if it cannot be found.
std::string find_interposer(MpiFlavour flavour, const std::string& chosen);

}  // namespace plimsoll::collectives
