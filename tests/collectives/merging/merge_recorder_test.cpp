#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/collectives/merge.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/profiles.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Merges the logs that recorders write to a directory.
class LogMerger : public ::testing::Test {
 protected:
  static constexpr std::uint32_t ranks = 3;

  /// Records 100 calls on each rank that alternate between two rows. Rank 2 makes only 100 - `fewer` calls.
  void record(std::uint64_t run_id, bool finish, std::uint64_t fewer = 0, RecorderOptions options = {}) {
    options.folder = folder_.path();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      recorders_.push_back(std::make_unique<Recorder>(
          options, RankIdentity{run_id, 5, rank, ranks, 100 + rank, "host", "/bin/app"}));
      Recorder& recorder = *recorders_.back();
      recorder.add_communicator({.comm_rank = rank, .members = {0, 1, 2}});
      for (std::uint64_t call = 0; call < 100 - (rank == 2 ? fewer : 0); ++call) {
        const auto begun = recorder.begin_call(0, {Exchange::alltoallv});
        if (!begun.recorded) continue;
        const auto count = static_cast<std::int32_t>(call % 2);
        const std::int32_t counts[] = {count, count, static_cast<std::int32_t>(rank)};
        recorder.record_counts(begun, {.send_type_size = 4,
                                       .recv_type_size = 8,
                                       .send = IntegerSpan(counts, 3),
                                       .recv = IntegerSpan(counts, 3)});
        recorder.record_time(begun, 1000 * call + rank, 10);
      }
      if (finish) recorder.finish(true);
    }
  }

  const TemporaryFolder folder_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

TEST_F(LogMerger, MergesFinishedRun) {
  record(1, true);
  recorders_.clear();
  const auto runs = find_logs(folder_.path());
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].run_id, 1U);
  EXPECT_EQ(runs[0].job, 5U);
  EXPECT_EQ(runs[0].world_size, ranks);
  EXPECT_THAT(runs[0].paths, SizeIs(ranks));
  const MergeResult result = merge_files(runs[0]);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_TRUE(result.profile.cut_short.empty());
  ASSERT_THAT(result.profile.leads, SizeIs(1));
  const Lead& lead = result.profile.leads[0];
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(lead.signatures[0].calls.size(), 50U);
  EXPECT_EQ(lead.signatures[0].calls[49], 98U);
  EXPECT_EQ(lead.signatures[1].calls[49], 99U);
  EXPECT_THAT(lead.signatures[1].send.matrix.counts, ElementsAre(1, 1, 0, 1, 1, 1, 1, 1, 2));
  EXPECT_EQ(lead.signatures[1].recv.type_size, 8U);
  EXPECT_EQ(lead.total_calls[Operation{Exchange::alltoallv}.index()], 100U);
  ASSERT_THAT(lead.execution_s, SizeIs(1));
  EXPECT_THAT(lead.execution_s[0].calls, SizeIs(100));
}

TEST_F(LogMerger, MergesKilledRun) {
  record(1, false, 30);
  recorders_.clear();
  const MergeResult result = merge_files(find_logs(folder_.path()).at(0));
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_THAT(result.findings[0].what, ::testing::HasSubstr("may still be written by rank 0"))
      << "the logs come from another host";
  EXPECT_EQ(result.profile.cut_short.to_string(), "0-2");
  EXPECT_EQ(result.profile.incomplete_calls, 30U);
  ASSERT_THAT(result.profile.leads.at(0).signatures, SizeIs(2));
  EXPECT_EQ(result.profile.leads[0].signatures[0].calls.size(), 35U);
}

TEST_F(LogMerger, MergesSampledRun) {
  record(1, true, 0, {.first = 10, .limit = 7, .sample = 5});
  const MergeResult result = merge_files(find_logs(folder_.path()).at(0));
  const Lead& lead = result.profile.leads.at(0);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "10, 20, 30, 40");
  EXPECT_EQ(lead.signatures[1].calls.to_string(), "15, 25, 35");
  EXPECT_EQ(lead.total_calls[Operation{Exchange::alltoallv}.index()], 100U);
}

TEST_F(LogMerger, FindsEachRunInDirectory) {
  record(1, true);
  record(2, true);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    const bool old = entry.path().string().find("2.rank") != std::string::npos;
    std::filesystem::last_write_time(
        entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(old ? 2 : 1));
  }
  folder_.write("plimsoll-notes.log", "no log at all, but with a name like one's .............");
  const auto runs = find_logs(folder_.path());
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].run_id, 2U);
  EXPECT_EQ(runs[1].run_id, 1U);
}

TEST_F(LogMerger, ReportsUnreadableDirectory) {
  EXPECT_THAT(find_logs(folder_.path()), IsEmpty());
  EXPECT_ERROR(find_logs(folder_ / "none"), system, "/none");
}

/// Sets of the calls of a program: parts in random order, and cycles with a few deviations.
std::vector<std::int32_t> random_program(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> sets;
  while (sets.size() < 30'000) {
    const std::uint64_t length = 1 + random() % (random() % 4 == 0 ? 3000 : 40);
    const std::uint64_t rounds = 1 + random() % 30;
    std::vector<std::int32_t> cycle(length);
    for (std::int32_t& set : cycle) set = static_cast<std::int32_t>(random() % 20);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      sets.insert(sets.end(), cycle.begin(), cycle.end());
      if (random() % 8 == 0) sets.back() = 7;
    }
  }
  return sets;
}

// The merge reads the log of a running program several times: nothing that was recorded is missing or wrong.
TEST(RecordedPrograms, AreMergedCallByCall) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TemporaryFolder folder;
    const std::vector<std::int32_t> sets = random_program(seed);
    Recorder recorder({.folder = folder.path()},
                      {.run_id = 1, .world_size = 1, .host = "h", .program = "/p"});
    recorder.add_communicator({.members = {0}});
    for (std::size_t k = 0; k < sets.size(); ++k) {
      const Row row = {.send = IntegerSpan(&sets[k], 1), .recv = IntegerSpan(&sets[k], 1)};
      recorder.record_counts(recorder.begin_call(0, alltoallv), row);
      if (k % 7001 != 7000 && k + 1 != sets.size()) continue;
      const std::string log = folder.read("plimsoll-1.rank0.log");
      const MergeResult result = merge_logs({log});
      EXPECT_THAT(result.findings, IsEmpty());
      const Lead& lead = result.profile.leads.at(0);
      std::vector<std::int32_t> merged(k + 1, -1);
      for (const Signature& signature : lead.signatures)
        signature.calls.for_each([&](std::uint64_t call) {
          merged.at(call) = static_cast<std::int32_t>(signature.send.matrix.counts.at(0));
        });
      ASSERT_EQ(merged, std::vector(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(k + 1)));
      EXPECT_EQ(lead.communicators.at(0).calls.at(0).ids, NumberList::up_to(k + 1));
    }
  }
}

TEST_F(LogMerger, SelectsRunByIdPrefix) {
  EXPECT_ERROR(choose_run(folder_.path()), bad_input, "neither rank logs nor files of MPI calls");
  record(0x1f3a, true);
  EXPECT_EQ(choose_run(folder_.path()).run_id, 0x1f3a);
  record(7, true);
  EXPECT_EQ(choose_run(folder_.path(), "7").run_id, 7);
  EXPECT_EQ(choose_run(folder_.path(), "1f").run_id, 0x1f3a);
  EXPECT_EQ(run_name(choose_run(folder_.path(), "0000000000000007").run_id), "0000000000000007");
  EXPECT_ERROR(choose_run(folder_.path()), usage, "contains logs of 2 runs: ");
  EXPECT_ERROR(choose_run(folder_.path(), "9"), usage, "0000000000001f3a (3 ranks, 20");
}

TEST_F(LogMerger, RemovesLogsOfRun) {
  record(1, true);
  record(2, true);
  recorders_.clear();
  remove_logs(choose_run(folder_.path(), "1"));
  EXPECT_EQ(choose_run(folder_.path()).run_id, 2);
}

}  // namespace
}  // namespace plimsoll::testing
