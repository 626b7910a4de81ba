#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "cli/commands/collectives/profile.hpp"
#include "cli/json.hpp"
#include "cli/program.hpp"
#include "collectives/mpi_calls/example_calls.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

TEST(CollectivesExport, WritesValidDataSet) {
  const TemporaryFolder folder;
  write_profile(folder.path(), {{1, 2, 0}, {0, 0, 5}, {0, 0, 0}}, 4);
  const Outcome outcome =
      run_plimsoll({"collectives", "export", folder.path(), "--lb-data", folder / "data"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote 3 ranks with 2 edges"));
  EXPECT_THAT(outcome.out, HasSubstr("All loads are 1"));
  const Outcome validation = run_plimsoll({"validate", folder / "data", "--json"});
  EXPECT_EQ(validation.status, 0) << validation.out;
  EXPECT_EQ(Json(validation.out).integer("/warnings"), 0) << validation.out;
  const Json info(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(info.integer("/ranks"), 3);
  EXPECT_EQ(info.integer("/phases/0/migratable_objects"), 3);
  EXPECT_EQ(info.number("/phases/0/off_rank_bytes"), 28);
}

TEST(CollectivesExport, OverwritesFilesOnlyIfForced) {
  const TemporaryFolder folder;
  write_profile(folder.path(), {{0, 2}, {0, 0}}, 1);
  const std::vector<std::string> arguments = {"collectives",   "export",  folder.path(), "--lb-data",
                                              folder / "data", "--plain", "--json"};
  const Outcome first = run_plimsoll(arguments);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(Json(first.out).truth("/has_times"));
  EXPECT_TRUE(std::filesystem::exists(folder / "data/data.1.json"));
  EXPECT_EQ(run_plimsoll(arguments).status, 2);
  std::vector<std::string> forced = arguments;
  forced.emplace_back("--force");
  EXPECT_EQ(run_plimsoll(forced).status, 0);
}

TEST(CollectivesExport, WritesMessagesAndTimesOutsideMpi) {
  const TemporaryFolder folder;
  write_file(folder / collectives::mpi_calls_file_name, to_json(collectives::example_calls()));
  const Outcome outcome =
      run_plimsoll({"collectives", "export", folder.path(), "--lb-data", folder / "data"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote 4 ranks with 3 edges"));
  EXPECT_THAT(outcome.out, HasSubstr("Loads are the times outside MPI."));
  const Json info(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(info.number("/phases/0/max_load_s"), 8);
  EXPECT_EQ(info.number("/phases/0/off_rank_bytes"), 800);
}

TEST(CollectivesExport, WritesTimesForPerfetto) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {
      "collectives",  "export", own_path("alltoallv/forward"), "--format",
      "chrome-trace", "-o",     folder / "trace.json"};
  const Outcome outcome = run_plimsoll(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote 48 calls of 6 ranks"));
  const Json trace(file_content(folder / "trace.json"));
  EXPECT_EQ(trace.size(""), 48u + 2 * 6);
  EXPECT_EQ(trace.text("/0/args/name"), "rank 0 (node1)");
  EXPECT_EQ(trace.text("/12/ph"), "X");
  EXPECT_EQ(run_plimsoll(arguments).status, 2);
  EXPECT_EQ(run_plimsoll({"collectives", "export", folder.path(), "--format", "chrome-trace"}).status, 2);
  std::vector<std::string> to_stdout = arguments;
  to_stdout.back() = "-";
  EXPECT_EQ(run_plimsoll(to_stdout).out, file_content(folder / "trace.json"));
  to_stdout.emplace_back("--json");
  EXPECT_THAT(run_plimsoll(to_stdout).err, HasSubstr("--json and -o - both write to stdout"));
}

TEST(CollectivesExport, WritesOtf2Trace) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {
      "collectives", "export", own_path("alltoallv/forward"), "--format", "otf2", "-o", folder / "trace"};
  const Outcome outcome = run_plimsoll(arguments);
  if (outcome.status != 0) {
    EXPECT_THAT(outcome.err, HasSubstr("install the package libopen-trace-format2-dev"));
    GTEST_SKIP() << "needs libopen-trace-format2-dev";
  }
  EXPECT_THAT(outcome.out, HasSubstr("Wrote 48 calls of 6 ranks"));
  EXPECT_TRUE(std::filesystem::exists(folder / "trace/traces.otf2"));
  EXPECT_EQ(run_plimsoll(arguments).status, 2);
  std::vector<std::string> forced = arguments;
  forced.insert(forced.end(), {"--force", "--json"});
  EXPECT_EQ(Json(run_plimsoll(forced).out).integer("/events"), 48);
  std::vector<std::string> to_stdout = arguments;
  to_stdout.back() = "-";
  EXPECT_THAT(run_plimsoll(to_stdout).err, HasSubstr("an OTF2 trace cannot be written to stdout"));
}

TEST(CollectivesExport, ReportsFullDiskOfOtf2Trace) {
  const TemporaryFolder folder;
  const std::string command = std::string("trap '' XFSZ; ulimit -f 0; ") + PLIMSOLL_PROGRAM +
                              " collectives export " + own_path("alltoallv/forward") + " --format otf2 -o " +
                              folder / "trace" + " 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::array<char, 4096> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), pipe);
  ::pclose(pipe);
  const std::string err(text.data(), size);
  if (err.find("libopen-trace-format2-dev") != std::string::npos)
    GTEST_SKIP() << "needs libopen-trace-format2-dev";
  EXPECT_THAT(err, HasSubstr("cannot write the trace: "));
  EXPECT_THAT(err, HasSubstr("; check the disk, of which "));
}

TEST(CollectivesExport, RequiresDirectory) {
  EXPECT_EQ(run_plimsoll({"collectives", "export"}).status, 2);
}

}  // namespace
}  // namespace plimsoll::testing
