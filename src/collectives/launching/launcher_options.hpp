#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>

#include "collectives/launching/mpi_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Passes the interposer and the variables in `launch.environment` to the ranks of `launch.command`. Uses
/// options of the launcher if it has suitable ones, for each program of the command (MPMD). The interposer
/// comes before other libraries in LD_PRELOAD, which come from the environment or from options of the
/// launcher.
void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch);

}  // namespace plimsoll::collectives
