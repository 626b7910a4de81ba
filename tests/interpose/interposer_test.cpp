// Checks the library itself, and that it does not disturb programs which it cannot record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Interposer : public ::testing::TestWithParam<TestedMpi> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(Interposer, IsDisabledByInvalidOptions) {
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = GetParam().program("special_cases"),
                               .arguments = {"in_place"},
                               .options = "tims,folder=" + folder_.path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"times\"?"));
  EXPECT_THAT(outcome.err, HasSubstr("runs unprofiled"));
  EXPECT_THAT(files_in(folder_.path()), IsEmpty());
}

TEST_P(Interposer, IsDisabledIfDirectoryIsNotWritable) {
  write_file(folder_ / "file", "");
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 2,
                               .program = GetParam().program("special_cases"),
                               .arguments = {"in_place"},
                               .options = "folder=" + (folder_ / "file") + "/folder"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::ContainsRegex("^plimsoll: rank 0 cannot be recorded: [^\n]*\n$"))
      << "once for all ranks";
}

TEST_P(Interposer, LetsProgramEndNormallyAfterLogsWereRemoved) {
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = 4,
                               .program = GetParam().program("special_cases"),
                               .arguments = {"logs_removed"},
                               .options = "counts",
                               .environment = {{"PLIMSOLL_PROFILER_FOLDER", folder_ / "logs"}}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("plimsoll: ranks 0-3 could not hand over the log: " + (folder_ / "logs")))
      << "once for all ranks";
}

TEST_P(Interposer, ReportsLibraryToPreloadForAnotherMpi) {
  for (const TestedMpi& other : tested_mpis()) {
    if (other.name == GetParam().name) continue;
    const Outcome outcome = run({.mpi = other,
                                 .ranks = 2,
                                 .program = other.program("special_cases"),
                                 .arguments = {"in_place"},
                                 .options = "folder=" + folder_.path(),
                                 .profiled = false,
                                 .preload_after = GetParam().profiler});
    EXPECT_EQ(outcome.status == 0, GetParam().name == "openmpi") << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("preload libplimsoll-profiler-" + other.name + ".so"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("egmentation")));
    EXPECT_THAT(files_in(folder_.path()), IsEmpty());
  }
}

// Returns the lines that a command prints.
std::vector<std::string> printed_lines(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t size = fread(part.data(), 1, part.size(), pipe.get()))
    text.append(part.data(), size);
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_P(Interposer, DoesNothingInProgramsWithoutMpi) {
  EXPECT_THAT(
      printed_lines("LD_BIND_NOW=1 LD_PRELOAD=" + GetParam().profiler + " /bin/sh -c 'echo fine' 2>&1"),
      ElementsAre("fine"));
}

TEST_P(Interposer, ExportsOnlyMpiNamesAndItsOwn) {
  const auto names = printed_lines("nm -D --defined-only --format=just-symbols " + GetParam().profiler);
  EXPECT_THAT(names, Not(IsEmpty()));
  EXPECT_THAT(names, Each(::testing::ContainsRegex("^(MPIX?|mpix?|ompix?|plimsoll_profiler)_")));
}

TEST_P(Interposer, DependsOnMpiAndSystemLibrariesOnly) {
  for (const std::string& line : printed_lines("readelf -d " + GetParam().profiler + " | grep NEEDED"))
    EXPECT_THAT(line,
                ::testing::ContainsRegex("\\[(libmpi|libmpich|libc|libm|libgcc_s|ld-linux)[-.a-z0-9]*\\.so"));
}

INSTANTIATE_TEST_SUITE_P(EachMpi, Interposer, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
