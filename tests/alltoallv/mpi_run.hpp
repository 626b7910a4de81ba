#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// An MPI of this machine, with the profiler built for it.
struct TestedMpi {
  std::string name;  ///< openmpi, mpich
  std::string launcher;
  std::string profiler;  ///< path of its libplimsoll-alltoallv
  std::string programs;  ///< what the paths of test programs for it begin with, up to their name

  std::string program(const std::string& its_name) const { return programs + its_name + "_" + name; }
};

/// In messages of tests.
inline void PrintTo(const TestedMpi& mpi, std::ostream* out) {
  *out << mpi.name;
}

/// All of them.
const std::vector<TestedMpi>& tested_mpis();

/// How a program is to be run. It ends after a minute for certain.
struct MpiRun {
  TestedMpi mpi;
  int ranks = 4;
  std::string program;
  std::vector<std::string> arguments = {};
  std::string options = {};         ///< PLIMSOLL_ALLTOALLV
  bool profiled = true;             ///< whether the profiler is preloaded
  std::string preload_before = {};  ///< another library, before the profiler
  std::string preload_after = {};   ///< and after it
  std::map<std::string, std::string> environment = {};
  std::string working_folder = ".";
};

/// What it did. The status is the launcher's.
Outcome run(const MpiRun& run);

/// The names of the files in a folder.
std::set<std::string> files_in(const std::string& folder);

/// For INSTANTIATE_TEST_SUITE_P over tested_mpis().
std::string name_of_mpi(const ::testing::TestParamInfo<TestedMpi>& info);

}  // namespace plimsoll::testing
