#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "collectives/recording/recorder_fixture.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using rank_log::Subject;

constexpr Operation ialltoallw{Exchange::alltoallw, Mode::nonblocking};

TEST_F(LogRecorder, RecordsRankHostAndProgram) {
  Recorder recorder = this->recorder();
  EXPECT_EQ(recorder.path(), path());
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_EQ(log.rank.run_id, 0xab12U);
  EXPECT_EQ(log.rank.job, 77U);
  EXPECT_EQ(log.rank.world_rank, 3U);
  EXPECT_EQ(log.rank.world_size, 8U);
  EXPECT_EQ(log.rank.pid, 4242U);
  EXPECT_EQ(log.host, "node7");
  EXPECT_EQ(log.program, "/opt/app");
}

TEST_F(LogRecorder, NeverOverwritesExistingLog) {
  folder_.write("plimsoll-ab12.rank3.log", "precious");
  EXPECT_ERROR(recorder(), usage, "already exists");
  EXPECT_EQ(folder_.read("plimsoll-ab12.rank3.log"), "precious");
}

TEST_F(LogRecorder, RecordsCallsOnFreedCommunicator) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (const std::int32_t number : {1, 1, 2}) call(recorder, world, row_of(number));
  recorder.communicator_freed(world);
  for (const std::int32_t number : {2, 1, 1}) call(recorder, world, row_of(number));
  recorder.finish(true);
  const LogDump log = dump();
  ASSERT_EQ(log.rows.size(), 2U);
  const auto items = log.items(world, alltoallv, Subject::counts);
  ASSERT_EQ(items.size(), 6U);
  const std::uint32_t rows[] = {0, 0, 1, 1, 0, 0};
  for (const auto& [index, item] : items) EXPECT_EQ(item, (LogDump::Item{index, rows[index]}));
}

/// Makes a call that fails.
void fail(Recorder& recorder, std::uint32_t communicator, bool refused) {
  const Recorder::Call call = recorder.begin_call(communicator, alltoallv);
  if (call.recorded) recorder.record_counts(call, row_of(-1).row());
  recorder.record_failure(call, refused);
}

TEST_F(LogRecorder, GivesIndexOfRefusedCallToNextCall) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  call(recorder, world, row_of(1));
  for (int k = 0; k < 1000; ++k) fail(recorder, world, true);
  call(recorder, world, row_of(1));
  EXPECT_EQ(recorder.recorded_calls(), 2U);
  recorder.finish(true);
  const LogDump log = dump();
  ASSERT_EQ(log.failures.size(), 1U);
  EXPECT_EQ(log.failures[0].refused, 1);
  EXPECT_EQ(log.failures[0].first_index, 1U);
  EXPECT_EQ(log.failures[0].first_id, 1U);
  EXPECT_EQ(log.failures[0].count, 1000U);
  const std::vector<std::uint64_t> steps = LogDump::steps_of(log.streams.at(0));
  ASSERT_EQ(steps.size(), 1002U);
  EXPECT_EQ(log.streams[0].steps.at(steps[1]).index_step, 1U);
  EXPECT_EQ(log.streams[0].steps.at(steps[2]).index_step, 0U);
  EXPECT_EQ(log.streams[0].steps.at(steps[2]).id_step, 1U);
  EXPECT_EQ(steps.back(), log.streams[0].steps.size() - 1) << "the last call has another row";
  EXPECT_EQ(log.finished->calls[alltoallv.index()], 1002U);
}

TEST_F(LogRecorder, KeepsIndicesOfFailedCallsThatTookPart) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int k = 0; k < 3; ++k) fail(recorder, world, false);
  fail(recorder, rank_log::no_communicator, true);
  fail(recorder, world, false);
  recorder.finish(true);
  const LogDump log = dump();
  ASSERT_EQ(log.failures.size(), 3U);
  EXPECT_EQ(log.failures[0].count, 3U);
  EXPECT_EQ(log.failures[0].refused, 0);
  EXPECT_EQ(log.failures[1].communicator, rank_log::no_communicator);
  EXPECT_EQ(log.failures[1].first_id, 3U);
  EXPECT_EQ(log.failures[2].first_index, 3U);
  EXPECT_EQ(log.failures[2].first_id, 4U);
}

TEST_F(LogRecorder, RequiresDirectory) {
  EXPECT_ERROR(Recorder({.folder = "/does/not/exist"}, {}), system, "/does/not/exist");
}

TEST_F(LogRecorder, DescribesCommunicators) {
  Recorder recorder = this->recorder();
  EXPECT_EQ(add_world(recorder), 0U);
  EXPECT_EQ(recorder.add_communicator(
                {.comm_rank = 1, .members = {5, 3, 4, 0}, .remote_members = {1, 2}, .order = 9}),
            1U);
  const int sources[] = {2, 0};
  const int destinations[] = {1, 1, 3};
  recorder.set_neighbors(1, sources, destinations);
  recorder.finish(true);

  const LogDump log = dump();
  ASSERT_EQ(log.communicators.size(), 2U);
  EXPECT_EQ(log.communicators[0].members, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(log.communicators[0].record.member_runs, 1U);
  EXPECT_EQ(log.communicators[0].record.remote_size, 0U);
  EXPECT_EQ(log.communicators[1].members, (std::vector<std::uint32_t>{5, 3, 4, 0}));
  EXPECT_EQ(log.communicators[1].remote_members, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(log.communicators[1].record.comm_rank, 1U);
  EXPECT_EQ(log.communicators[1].record.comm_size, 4U);
  EXPECT_EQ(log.communicators[1].record.remote_size, 2U);
  EXPECT_EQ(log.communicators[1].record.order, 9U);
  EXPECT_EQ(log.neighbors.at(1).sources, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(log.neighbors.at(1).destinations, (std::vector<std::uint32_t>{1, 1, 3}));
}

TEST_F(LogRecorder, RecordsSelectedWindow) {
  struct Case {
    std::uint64_t first, limit, sample;
    std::vector<std::uint64_t> indices;
  };
  const Case cases[] = {{0, UINT64_MAX, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
                        {3, UINT64_MAX, 1, {3, 4, 5, 6, 7, 8, 9}},
                        {0, 2, 1, {0, 1}},
                        {4, 2, 3, {4, 7}},
                        {1, 100, 4, {1, 5, 9}},
                        {0, 0, 1, {}},
                        {20, 5, 1, {}}};
  for (const Case& chosen : cases) {
    {
      Recorder recorder =
          this->recorder({.first = chosen.first, .limit = chosen.limit, .sample = chosen.sample});
      const std::uint32_t world = add_world(recorder);
      const std::uint32_t other = add_world(recorder);
      for (int k = 0; k < 10; ++k) {
        call(recorder, world, row_of(k % 2));
        call(recorder, other, row_of(k % 3));
      }
      recorder.finish(true);
    }
    const LogDump log = dump();
    for (const std::uint32_t communicator : {0U, 1U}) {
      std::vector<std::uint64_t> indices;
      for (const auto& [index, item] : log.items(communicator, alltoallv, Subject::counts)) {
        indices.push_back(index);
        EXPECT_EQ(item.id, 2 * index + communicator);
      }
      EXPECT_EQ(indices, chosen.indices) << chosen.first << ' ' << chosen.limit << ' ' << chosen.sample;
    }
    EXPECT_EQ(log.finished->calls.at(alltoallv.index()), 20U);
    std::filesystem::remove(path());
  }
}

TEST_F(LogRecorder, LeavesGapsForUnrecordedCalls) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int k = 0; k < 20; ++k) {
    const Recorder::Call call = recorder.begin_call(world, alltoallv);
    if (k < 5 || k >= 15) recorder.record_counts(call, row_of(1).row());
  }
  recorder.finish(true);
  const LogDump log = dump();
  const auto rows = log.rows_of(world, alltoallv);
  EXPECT_EQ(rows.size(), 10U);
  EXPECT_FALSE(rows.contains(5));
  EXPECT_FALSE(rows.contains(14));
  EXPECT_TRUE(rows.contains(15));
}

TEST_F(LogRecorder, RecordsTimeOfEveryCall) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  constexpr std::uint64_t calls = 5000;
  for (std::uint64_t k = 0; k < calls; ++k)
    recorder.record_time(recorder.begin_call(world, ialltoallw), 1000 + k, k * k);
  recorder.record_clock(1, -2, 3, 4);
  recorder.finish(false);

  const LogDump log = dump();
  ASSERT_EQ(log.times.size(), calls);
  for (std::uint64_t k = 0; k < calls; ++k) {
    ASSERT_EQ(log.times[k].communicator, world);
    ASSERT_EQ(log.times[k].operation, ialltoallw.index());
    ASSERT_EQ(log.times[k].index, k);
    ASSERT_EQ(log.times[k].begin_ns, 1000 + k);
    ASSERT_EQ(log.times[k].duration_ns, k * k);
  }
  ASSERT_EQ(log.clocks.size(), 1U);
  EXPECT_EQ(log.clocks[0].local_ns, 1);
  EXPECT_EQ(log.clocks[0].offset_ns, -2);
  EXPECT_EQ(log.clocks[0].error_ns, 3);
  EXPECT_EQ(log.clocks[0].origin_ns, 4);
  EXPECT_FALSE(log.finished->finalized);
}

TEST_F(LogRecorder, WritesBacktracesWithModulesAndOffsets) {
  void* const in_libc = reinterpret_cast<char*>(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")) + 5;
  void* const in_program = reinterpret_cast<char*>(&row_of) + 1;
  void* const frames[] = {in_libc, in_program, nullptr};
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int k = 0; k < 10; ++k) {
    const Recorder::Call call = recorder.begin_call(world, alltoallv);
    recorder.record_backtrace(call, std::span(frames).first(k % 2 == 0 ? 2 : 3));
  }
  recorder.finish(true);

  const LogDump log = dump();
  ASSERT_EQ(log.backtraces.size(), 2U);
  EXPECT_TRUE(log.rows.empty());
  ASSERT_EQ(log.backtraces[0].size(), 2U);
  ASSERT_EQ(log.backtraces[1].size(), 3U);
  EXPECT_NE(log.modules.at(log.backtraces[0][0].module).find("libc"), std::string::npos);
  Dl_info libc{};
  ASSERT_NE(dladdr(in_libc, &libc), 0);
  EXPECT_EQ(log.backtraces[0][0].offset,
            static_cast<std::uint64_t>(static_cast<char*>(in_libc) - static_cast<char*>(libc.dli_fbase)));
  EXPECT_EQ(log.modules.at(log.backtraces[0][1].module), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(log.modules.at(log.backtraces[1][2].module), "");
  EXPECT_EQ(log.backtraces[1][0].offset, log.backtraces[0][0].offset);
  const auto items = log.items(world, alltoallv, Subject::backtrace);
  ASSERT_EQ(items.size(), 10U);
  EXPECT_EQ(items.at(4).item, 0U);
  EXPECT_EQ(items.at(5).item, 1U);
}

/// Random programs: loops over random sequences of rows, on several communicators and operations.
class RandomPrograms : public LogRecorder, public ::testing::WithParamInterface<unsigned> {
 protected:
  struct Expected {
    std::uint64_t id;
    LogDump::Row row;
  };
};

TEST_P(RandomPrograms, AreRecordedCallByCall) {
  std::mt19937 random(GetParam());
  const auto less_than = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::uint64_t memory_bytes[] = {0, 1000, 20'000, std::uint64_t{64} << 20};
  RecorderOptions options;
  options.memory_bytes = memory_bytes[GetParam() % 4];
  const std::array operations{alltoallv, ialltoallw};
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Expected>> expected;
  std::array<std::uint64_t, 2> ids{};
  {
    Recorder recorder = this->recorder(options);
    for (int k = 0; k < 3; ++k) add_world(recorder);
    for (int loop = 0; loop < 60; ++loop) {
      struct Step {
        std::uint32_t communicator;
        std::size_t operation;
        OwnedRow row;
      };
      std::vector<Step> body(1 + less_than(12));
      for (Step& step : body)
        step = {less_than(3), less_than(2),
                row_of(static_cast<int>(less_than(loop % 2 ? 5 : 5000)), 1 + less_than(30))};
      const unsigned rounds = 1 + less_than(40);
      for (unsigned round = 0; round < rounds; ++round)
        for (const Step& step : body) {
          call(recorder, step.communicator, step.row, operations[step.operation]);
          expected[{step.communicator, step.operation}].push_back({ids[step.operation]++, step.row.dump()});
        }
    }
    recorder.finish(true);
  }
  const LogDump log = dump();
  for (const auto& [where, calls] : expected) {
    const auto items = log.items(where.first, operations[where.second], Subject::counts);
    ASSERT_EQ(items.size(), calls.size());
    for (const auto& [index, item] : items) {
      ASSERT_EQ(item.id, calls.at(index).id);
      ASSERT_EQ(log.rows.at(item.item), calls[index].row);
    }
  }
  EXPECT_EQ(log.finished->calls.at(alltoallv.index()), ids[0]);
  EXPECT_EQ(log.finished->calls.at(ialltoallw.index()), ids[1]);
}

INSTANTIATE_TEST_SUITE_P(LogRecorder, RandomPrograms, ::testing::Range(0U, 24U));

}  // namespace
}  // namespace plimsoll::collectives
