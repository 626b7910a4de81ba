#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// An MPI library of this machine, and the profiler built for it.
struct TestedMpi {
  std::string name;  ///< openmpi or mpich
  std::string launcher;
  std::string profiler;  ///< path of its libplimsoll-profiler
  std::string programs;  ///< common prefix of the paths of its test programs

  std::string program(const std::string& its_name) const { return programs + its_name + "_" + name; }
};

/// Prints the name in test messages.
inline void PrintTo(const TestedMpi& mpi, std::ostream* out) {
  *out << mpi.name;
}

/// Returns all tested MPI libraries.
const std::vector<TestedMpi>& tested_mpis();

/// Returns the environment of launchers. By default, Open MPI refuses to run as root or with more ranks than
/// cores, and both are common in containers. A waiting rank must yield the core to the rank that it waits
/// for. Ranks must not search for devices and networks, which takes half of the time of a short run.
const std::map<std::string, std::string>& launcher_environment();

/// Options for running a program. The run ends after at most one minute.
struct MpiRun {
  TestedMpi mpi;
  int ranks = 4;
  std::string program;
  std::vector<std::string> arguments = {};
  std::string options = {};         ///< value of PLIMSOLL_PROFILER
  bool profiled = true;             ///< whether the profiler is preloaded
  std::string preload_before = {};  ///< another library, loaded before the profiler
  std::string preload_after = {};   ///< another library, loaded after the profiler
  std::map<std::string, std::string> environment = {};
  std::string working_folder = ".";
  /// Number of additional ranks without the profiler and the environment, before or after the others.
  int unprofiled_ranks = 0;
  bool unprofiled_first = false;
};

/// Runs the program and returns its result. The status is that of the launcher.
Outcome run(const MpiRun& run);

/// Returns the names of the files in a directory.
std::set<std::string> files_in(const std::string& folder);

/// Returns the suffix of test names for INSTANTIATE_TEST_SUITE_P over tested_mpis().
std::string name_of_mpi(const ::testing::TestParamInfo<TestedMpi>& info);

}  // namespace plimsoll::testing
