#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>

#include "collectives/launching/mpi_command.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Passes the interposer and the variables in `launch.environment` to the ranks of `launch.command`. Uses
/// options of the launcher if it has suitable ones. The interposer comes before existing entries of
/// LD_PRELOAD.
void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch);

}  // namespace plimsoll::collectives
