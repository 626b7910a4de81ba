#pragma once

#include <plimsoll/collectives/internal/profiler_evidence.hpp>
#include <plimsoll/collectives/profile_launch.hpp>

/// The steps of plan_profile() and run_profile().
namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Libraries and directories that a program or shared library requests.
struct ElfNeeds {
  std::vector<std::string> libraries;  ///< DT_NEEDED
  std::vector<std::string> folders;    ///< DT_RUNPATH or DT_RPATH, $ORIGIN replaced
};

/// Reads the dynamic section of an ELF file for this machine type (64 bits, the same byte order). Returns
/// nothing for other files, and an empty result for a damaged file. Never throws.
std::optional<ElfNeeds> read_elf_needs(const std::string& path);

/// Launcher that starts the ranks. `other` ones have options of their own to set variables, or none: jsrun,
/// flux, aprun, palsrun, ibrun.
enum class Launcher { none, openmpi, hydra, slurm, other };

/// The recognised parts of a command.
struct MpiCommand {
  std::optional<MpiFlavour> application;  ///< the MPI that the application links, if it can be determined
  Launcher launcher = Launcher::none;
  bool launcher_unknown = false;  ///< whether the launcher is an unknown kind of mpirun or mpiexec
};

/// Inspects the files that a command names. The application is the first file that links an MPI, directly or
/// through a library that it needs. The first word may be a launcher, recognised by its name or by the target
/// of its symbolic link.
MpiCommand understand(const std::vector<std::string>& command);

/// Returns whether a word of a command line names a program that links an MPI.
bool names_mpi_program(const std::string& word);

/// Returns the path of the file that a word of a command line names; empty if not found. A word without a
/// slash is searched for in PATH.
std::string find_program(const std::string& word);

/// Passes the interposer and the variables in `launch.environment` to the ranks of `launch.command`. Uses
/// options of the launcher if it has suitable ones, for each program of the command (MPMD). The interposer
/// comes before other libraries in LD_PRELOAD, which come from the environment or from options of the
/// launcher.
void add_launcher_options(Launcher launcher, const std::string& interposer, ProfileLaunch& launch);

/// Finds out why the run of a command recorded nothing, from the observations of the profiler in its
/// processes, or else from the programs that the command names.
EmptyProfile explain_empty_profile(const std::vector<std::string>& command,
                                   const CollectedEvidence& evidence);

}  // namespace plimsoll::collectives
