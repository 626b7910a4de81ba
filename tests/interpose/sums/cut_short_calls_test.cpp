// Tests that the sums over MPI calls of a program survive its end before MPI_Finalize, and that they can be
// merged while it runs. Each rank of cut_short notes independently how many calls it has completed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <future>

#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::MpiCalls;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint32_t world_ranks = 4;

std::string other_program(const TestedMpi& mpi, const std::string& name) {
  return mpi.programs + "../programs/" + name + "_" + mpi.name;
}

std::uint64_t noted_calls(const std::string& folder, std::uint32_t rank) {
  std::uint64_t calls = 0;
  const std::string bytes = file_content(folder + "/completed." + std::to_string(rank));
  std::memcpy(&calls, bytes.data(), std::min(bytes.size(), sizeof calls));
  return calls;
}

// Returns the bytes that a rank of cut_short sends in its first calls.
std::uint64_t bytes_sent_in(std::uint64_t calls, std::uint64_t rank) {
  std::uint64_t bytes = 0;
  for (std::uint64_t call = 0; call < calls; ++call)
    for (std::uint64_t peer = 0; peer < world_ranks; ++peer)
      bytes += sizeof(int) * ((call + 3 * rank + peer) % 7);
  return bytes;
}

/// Expects the calls that all ranks noted; a rank may have been ended between a call and its note. The sums
/// of ranks in `lost` are unknown.
void expect_noted_calls(const MpiCalls& calls, const std::string& notes,
                        const std::set<std::uint32_t>& lost) {
  ASSERT_EQ(calls.functions.size(), 1U);
  EXPECT_EQ(calls.functions[0].name, "MPI_Alltoallv");
  ASSERT_EQ(calls.ranks.size(), world_ranks);
  std::uint64_t sum = 0;
  std::uint64_t bytes = 0;
  for (std::uint32_t rank = 0; rank < world_ranks; ++rank) {
    const std::uint64_t recorded = calls.functions[0].calls[rank];
    const std::uint64_t noted = lost.contains(rank) ? 0 : noted_calls(notes, rank);
    EXPECT_GE(recorded, noted) << "rank " << rank;
    EXPECT_LE(recorded, noted + (lost.contains(rank) ? 0 : 1)) << "rank " << rank;
    EXPECT_EQ(calls.ranks[rank].wall_s > 0, !lost.contains(rank)) << "rank " << rank;
    EXPECT_LE(calls.ranks[rank].mpi_s, calls.ranks[rank].wall_s) << "rank " << rank;
    sum += recorded;
    bytes += bytes_sent_in(recorded, rank);
  }
  ASSERT_EQ(calls.sites.size(), 1U);
  EXPECT_EQ(calls.sites[0].calls, sum);
  EXPECT_EQ(calls.sites[0].sent_bytes, bytes);
  EXPECT_THAT(calls.sites[0].location, HasSubstr("(main+"));
  EXPECT_FALSE(calls.is_running);
}

class CutShortCalls : public ::testing::TestWithParam<std::tuple<TestedMpi, std::string>> {};

TEST_P(CutShortCalls, AreThoseThatEachRankCompleted) {
  const auto& [mpi, how] = GetParam();
  const TemporaryFolder folder;
  const Outcome outcome =
      run_plimsoll({"profile", "--record", "mpi", "--mpi", mpi.name, "-o", folder / "profile", "--",
                    "timeout", "--kill-after=5", "60", mpi.launcher, "-n", std::to_string(world_ranks),
                    other_program(mpi, "cut_short"), how, folder.path()},
                   {.environment = launcher_environment()});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "the run timed out";
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the program ended before MPI_Finalize"),
                                 HasSubstr("MPI calls are known on 4 of 4 ranks")));
  EXPECT_THAT(files_in(folder / "profile"), ::testing::ElementsAre("mpi-calls.json")) << outcome.err;
  const MpiCalls calls = collectives::read_mpi_calls(folder / "profile/mpi-calls.json");
  expect_noted_calls(calls, folder.path(), {});
  EXPECT_TRUE(calls.cut_short.contains(1));
  const Outcome summary = run_plimsoll({"collectives", "summary", folder / "profile"});
  EXPECT_TRUE(summary.out.starts_with("Incomplete: the MPI calls of rank")) << summary.out;
}

INSTANTIATE_TEST_SUITE_P(By, CutShortCalls,
                         ::testing::Combine(::testing::ValuesIn(tested_mpis()),
                                            ::testing::Values("kill", "term", "segv", "abort", "exit")),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + std::get<1>(tested.param);
                         });

class MergedCalls : public ::testing::TestWithParam<TestedMpi> {
 protected:
  std::string wait_command() const {
    return GetParam().launcher + " -n 2 " + other_program(GetParam(), "special_cases") +
           " wait_between_calls";
  }

  /// Profiles a shell script that lets the program wait, waits for a snapshot, and lets the program end.
  Outcome profile_with_snapshot(const std::string& interval, const std::string& request) const {
    const std::string wait =
        "k=0; while [ ! -e $file ] && [ $k -lt 1500 ]; do sleep 0.02; k=$((k+1)); done; ";
    const std::string snapshot = folder_ / "profile/snapshot/mpi-calls.json";
    const std::string script = wait_command() + " </dev/null & file=" + folder_ / "ready; " + wait + request +
                               "; file=" + snapshot + "; " + wait + "cp " + snapshot + " " +
                               folder_ / "mpi-calls.json" + "; mkdir " + folder_ / "go" + "; wait";
    auto environment = launcher_environment();
    environment["PLIMSOLL_TEST_FOLDER"] = folder_.path();
    return run_plimsoll({"profile", "--record", "mpi", "--snapshot", interval, "--mpi", GetParam().name, "-o",
                         folder_ / "profile", "--", "sh", "-c", script},
                        {.environment = environment});
  }

  void expect_snapshot(const Outcome& outcome) const {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const MpiCalls snapshot = collectives::read_mpi_calls(folder_ / "mpi-calls.json");
    EXPECT_TRUE(snapshot.is_running);
    EXPECT_EQ(snapshot.cut_short.to_string(), "0-1");
    const MpiCalls complete = collectives::read_mpi_calls(folder_ / "profile/mpi-calls.json");
    EXPECT_FALSE(complete.is_running);
    EXPECT_TRUE(complete.cut_short.empty());
    EXPECT_THAT(files_in(folder_ / "profile"), ::testing::ElementsAre("mpi-calls.json"));
  }

  static std::vector<std::uint64_t> number_of(const MpiCalls& calls, const char* function) {
    const auto found = std::ranges::find(calls.functions, function, &MpiCalls::Function::name);
    return found == calls.functions.end() ? std::vector<std::uint64_t>{} : found->calls;
  }

  TemporaryFolder folder_;
};

TEST_P(MergedCalls, LackRanksWithoutFile) {
  const std::string files = folder_ / "files";
  const Outcome outcome = run({.mpi = GetParam(),
                               .ranks = world_ranks,
                               .program = other_program(GetParam(), "cut_short"),
                               .arguments = {"kill", folder_.path()},
                               .options = "mpi,folder=" + files});
  EXPECT_NE(outcome.status, 0);
  auto runs = collectives::find_logs(files);
  ASSERT_EQ(runs.size(), 1U);
  ASSERT_EQ(runs[0].mpi_paths.size(), world_ranks);
  std::filesystem::remove(runs[0].mpi_paths[2]);

  const Outcome merged = run_plimsoll({"collectives", "merge", files, "--remove-logs"});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("known on 3 of 4 ranks"));
  EXPECT_THAT(files_in(files), ::testing::ElementsAre("mpi-calls.json"));
  const MpiCalls calls = collectives::read_mpi_calls(files + "/mpi-calls.json");
  expect_noted_calls(calls, folder_.path(), {2});
  EXPECT_TRUE(calls.cut_short.contains(2));
}

TEST_P(MergedCalls, AreThoseOfARunningProgram) {
  const std::string files = folder_ / "files";
  auto running = std::async(std::launch::async, [&] {
    return run({.mpi = GetParam(),
                .ranks = 2,
                .program = other_program(GetParam(), "special_cases"),
                .arguments = {"wait_between_calls"},
                .options = "mpi,folder=" + files,
                .environment = {{"PLIMSOLL_TEST_FOLDER", folder_.path()}}});
  });
  for (int k = 0; k < 3000 && !folder_.has("ready"); ++k) ::usleep(10'000);
  const Outcome merged = run_plimsoll({"collectives", "merge", files, "-o", folder_ / "early"});
  std::filesystem::create_directory(folder_ / "go");
  const Outcome outcome = running.get();

  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("Snapshot of a running program: MPI calls are known on 2 of 2 ranks"));
  EXPECT_THAT(merged.err, HasSubstr("are being written by rank 0 (process "));
  const MpiCalls early = collectives::read_mpi_calls(folder_ / "early/mpi-calls.json");
  EXPECT_TRUE(early.is_running);
  EXPECT_THAT(number_of(early, "MPI_Alltoallv"), ::testing::ElementsAre(1, 1));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files_in(files), ::testing::ElementsAre("mpi-calls.json"))
      << "the ranks have removed their files";
  const MpiCalls calls = collectives::read_mpi_calls(files + "/mpi-calls.json");
  EXPECT_THAT(number_of(calls, "MPI_Alltoallv"), ::testing::ElementsAre(2, 2));
  EXPECT_TRUE(calls.cut_short.empty());
}

TEST_P(MergedCalls, AreWrittenAtIntervals) {
  expect_snapshot(profile_with_snapshot("1s", ":"));
}

TEST_P(MergedCalls, AreWrittenOnSignal) {
  expect_snapshot(profile_with_snapshot("1h", "kill -USR1 $PPID"));
}

INSTANTIATE_TEST_SUITE_P(Of, MergedCalls, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
