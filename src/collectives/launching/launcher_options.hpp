#pragma once

#include <functional>

#include <plimsoll/collectives/profile_launch.hpp>

#include "collectives/launching/mpi_command.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Passes the interposer and the variables in `launch.environment` to the ranks of `launch.command`. Uses
/// options of the launcher if it has suitable ones, for each program of the command (MPMD). The interposer
/// comes before other libraries in LD_PRELOAD, which come from the environment or from options of the
/// launcher.
void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch);

/// Returns the word that names the appfile among the words that follow Open MPI's mpirun, or null: option
/// --app. Each line of an appfile contains options and a program. mpirun then ignores options in the command
/// that concern programs.
std::string* find_appfile(std::vector<std::string>& words);

/// Returns the text of an appfile in which `change` has changed the words of each line. Comments are omitted.
std::string with_changed_lines(const std::string& text,
                               const std::function<void(std::vector<std::string>&)>& change);

}  // namespace plimsoll::collectives
