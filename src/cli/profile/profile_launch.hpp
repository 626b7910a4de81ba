#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/profile/profile_mpi.hpp"

namespace plimsoll::cli {

/// A command and what is added to its environment.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string warning;  ///< why the ranks may not get what they should; mostly empty
};

/// A command that gives its ranks the interposer, before what LD_PRELOAD has already, and its settings. The
/// launcher itself is not preloaded where it can pass the variable on by an option: Open MPI -x, which also
/// reaches other nodes, MPICH (hydra) -genv, Slurm --export.
Launch make_launch(const std::vector<std::string>& command, Launcher launcher, const std::string& interposer,
                   const std::vector<std::pair<std::string, std::string>>& settings);

/// As a shell would take it: "A=1 mpirun -n 2 './my app'".
std::string to_text(const Launch& launch);

}  // namespace plimsoll::cli
