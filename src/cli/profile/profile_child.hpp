#pragma once

#include "cli/profile/profile_launch.hpp"

namespace plimsoll::cli {

/// Runs a command, without a shell, until it ends; returns its status, 128 + the number of the signal that
/// killed it. SIGINT and SIGTERM sent to this process go on to the command. Throws Error (system) if it
/// cannot be started.
int run_command(const Launch& launch);

}  // namespace plimsoll::cli
