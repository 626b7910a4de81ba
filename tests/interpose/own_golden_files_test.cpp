// Runs the program of tests/data/alltoallv (see its README.md). Its count files do not depend on the time or
// the machine, so each run must reproduce them byte for byte.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

class PlimsollGoldenFiles : public ::testing::TestWithParam<TestedMpi> {};

TEST_P(PlimsollGoldenFiles, AreReproducedByteForByte) {
  const TemporaryFolder folder;
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 6,
                               .program = GetParam().program("forward"),
                               .options = "counts,times,late-arrival,locations,folder=" + folder.path()});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string golden = own_path("alltoallv/forward");
  std::set<std::string> text_files = files_in(folder.path());
  EXPECT_EQ(text_files.erase("collectives.job0.profile"), 1u);
  EXPECT_EQ(text_files, files_in(golden));
  for (const std::string& name : files_in(golden)) {
    const bool is_timeless = name.find("counters") != std::string::npos || name.starts_with("profile_") ||
                             name.find("comm_data") != std::string::npos;
    if (!is_timeless) continue;
    EXPECT_EQ(file_content(folder / name), file_content(golden + "/" + name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PlimsollGoldenFiles, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
