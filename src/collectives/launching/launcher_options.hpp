#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>

#include "collectives/launching/mpi_command.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Adds the interposer, before what LD_PRELOAD has already, and the variables in `launch.environment` to what
/// the ranks of `launch.command` get, by the launcher's options if it has some for that.
void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch);

}  // namespace plimsoll::collectives
