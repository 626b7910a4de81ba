#pragma once

#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/profile_launch.hpp>

namespace plimsoll::inline v0_1::collectives {

/// What starts the ranks.
enum class Launcher { none, openmpi, hydra, slurm };

/// A command as far as it is understood.
struct MpiCommand {
  std::optional<MpiFlavour> application;  ///< the MPI that the application links, if that can be told
  Launcher launcher = Launcher::none;
  bool launcher_unknown = false;  ///< an mpirun or mpiexec, but not whose
};

/// Looks at the files that a command names: the first that links an MPI, itself or through a library that it
/// needs, is the application; the first word may be a launcher, known by its name or by what it is a link to.
MpiCommand understand(const std::vector<std::string>& command);

/// The file of a word of a command line, looked for in PATH if it has no slash; empty if there is none.
std::string find_program(const std::string& word);

}  // namespace plimsoll::collectives
