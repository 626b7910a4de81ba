#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <random>

#include "collectives/recording/recorder_fixture.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

using rank_log::Subject;

constexpr Operation ialltoallw{Exchange::alltoallw, Mode::nonblocking};

TEST_F(RecorderTest, SaysWhoWrites) {
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

TEST_F(RecorderTest, NeverWritesIntoAnotherLog) {
  folder_.write("plimsoll-ab12.rank3.log", "precious");
  EXPECT_ERROR(recorder(), usage, "exists already");
  EXPECT_EQ(folder_.read("plimsoll-ab12.rank3.log"), "precious");
}

TEST_F(RecorderTest, RecordsCallsOnACommunicatorThatWasFreed) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (const std::int32_t number : {1, 1, 2}) call(recorder, world, row_of(number));
  recorder.communicator_freed(world);
  for (const std::int32_t number : {2, 1, 1}) call(recorder, world, row_of(number));
  recorder.finish(true);
  const LogDump log = dump();
  ASSERT_EQ(log.rows.size(), 2U);
  ASSERT_EQ(log.runs.size(), 4U);
  const std::uint64_t first_ids[] = {0, 2, 3, 4};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(log.runs[k].first_id, first_ids[k]);
  EXPECT_EQ(log.runs[3].count, 2U);
}

TEST_F(RecorderTest, NeedsAFolder) {
  EXPECT_ERROR(Recorder({.folder = "/does/not/exist"}, {}), system, "/does/not/exist");
}

TEST_F(RecorderTest, DescribesCommunicators) {
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

TEST_F(RecorderTest, MillionEqualCallsTakeLessThanOneKibibyte) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  const OwnedRow row = row_of(1, 8);
  for (int k = 0; k < 1'000'000; ++k) call(recorder, world, row);
  EXPECT_EQ(recorder.recorded_calls(), 1'000'000U);
  recorder.finish(true);

  EXPECT_LT(std::filesystem::file_size(path()), 1024U);
  const LogDump log = dump();
  ASSERT_EQ(log.rows.size(), 1U);
  EXPECT_EQ(log.rows[0], row.dump());
  ASSERT_EQ(log.runs.size(), 1U);
  EXPECT_EQ(log.runs[0].count, 1'000'000U);
  ASSERT_TRUE(log.finished);
  EXPECT_TRUE(log.finished->finalized);
  EXPECT_EQ(log.finished->calls.at(alltoallv.index()), 1'000'000U);
}

/// How many runs a repeated sequence of rows takes.
class CyclesOfRows : public RecorderTest,
                     public ::testing::WithParamInterface<std::pair<std::string, std::size_t>> {};

TEST_P(CyclesOfRows, TakeFewRuns) {
  const auto& [cycle, most_runs] = GetParam();
  {
    Recorder recorder = this->recorder();
    const std::uint32_t world = add_world(recorder);
    for (int k = 0; k < 10'000; ++k) call(recorder, world, row_of(cycle[k % cycle.size()]));
  }
  const LogDump log = dump();
  EXPECT_LE(log.runs.size(), most_runs);
  const auto rows = log.rows_of(0, alltoallv);
  ASSERT_EQ(rows.size(), 10'000U);
  for (const auto& [index, row] : rows) ASSERT_EQ(row, row_of(cycle[index % cycle.size()]).dump()) << index;
}

INSTANTIATE_TEST_SUITE_P(RecorderTest, CyclesOfRows,
                         ::testing::Values(std::pair("A", 1), std::pair("AB", 2), std::pair("ABCDEFGHIJ", 10),
                                           std::pair("BBC", 6), std::pair("BBBC", 12),
                                           std::pair("AABBABAAC", 40)));

TEST_F(RecorderTest, RowsInRandomOrderTakeLessThanARunACall) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  std::mt19937 random(1);
  for (int k = 0; k < 10'000; ++k) call(recorder, world, row_of(static_cast<int>(random() % 10)));
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_EQ(log.rows.size(), 10U);
  EXPECT_LE(log.runs.size(), 7'000U);
}

TEST_F(RecorderTest, RecordsTheWindowChosen) {
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

TEST_F(RecorderTest, CallsNotRecordedLeaveGaps) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int k = 0; k < 20; ++k) {
    const Recorder::Call call = recorder.begin_call(world, alltoallv);
    if (k < 5 || k >= 15) recorder.record_counts(call, row_of(1).row());
  }
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_EQ(log.runs.size(), 2U);
  const auto rows = log.rows_of(world, alltoallv);
  EXPECT_EQ(rows.size(), 10U);
  EXPECT_FALSE(rows.contains(5));
  EXPECT_FALSE(rows.contains(14));
  EXPECT_TRUE(rows.contains(15));
}

TEST_F(RecorderTest, TellsRowsApartByAllThatTheySay) {
  const std::int64_t wide[] = {1, 2, std::int64_t{1} << 40, 1};
  const std::int32_t narrow[] = {1, 2, 3, 1, 2};
  const Row rows[] = {
      {.send_type_size = 8,
       .recv_type_size = 8,
       .send = IntegerSpan(narrow, 2),
       .recv = IntegerSpan(narrow, 2)},
      {.send_type_size = 4,
       .recv_type_size = 8,
       .send = IntegerSpan(narrow, 2),
       .recv = IntegerSpan(narrow, 2)},
      {.send_type_size = 8,
       .recv_type_size = 4,
       .send = IntegerSpan(narrow, 2),
       .recv = IntegerSpan(narrow, 2)},
      {.send_type_size = 8,
       .recv_type_size = 8,
       .in_place = true,
       .send = IntegerSpan(narrow, 2),
       .recv = IntegerSpan(narrow, 2)},
      {.send_type_size = 8,
       .recv_type_size = 8,
       .send = IntegerSpan(narrow, 3),
       .recv = IntegerSpan(narrow, 1)},
      {.send_type_size = 8,
       .recv_type_size = 8,
       .send = IntegerSpan(narrow, 2),
       .recv = IntegerSpan(narrow + 1, 2)},
      {.send_type_size = 8, .recv_type_size = 8, .send = IntegerSpan(wide, 1), .recv = IntegerSpan(wide, 2)},
      {.send_type_size = 8, .recv_type_size = 8, .send = IntegerSpan(wide, 3), .recv = IntegerSpan(wide, 4)},
      {.send_type_size = 8, .recv_type_size = 8},
      {.send_type_size = 8, .recv_type_size = 8, .recv = IntegerSpan(narrow, 1)},
  };
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int round = 0; round < 3; ++round)
    for (const Row& row : rows) recorder.record_counts(recorder.begin_call(world, alltoallv), row);
  recorder.finish(true);

  const LogDump log = dump();
  ASSERT_EQ(log.rows.size(), std::size(rows));
  EXPECT_EQ(log.runs.size(), std::size(rows));
  EXPECT_TRUE(log.rows[3].in_place);
  EXPECT_EQ(log.rows[4].send, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(log.rows[4].recv, (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(log.rows[5].wide);
  EXPECT_TRUE(log.rows[7].wide);
  EXPECT_EQ(log.rows[7].send, (std::vector<std::int64_t>{1, 2, std::int64_t{1} << 40}));
  EXPECT_EQ(log.rows[7].recv, (std::vector<std::int64_t>{1, 2, std::int64_t{1} << 40, 1}));
  EXPECT_TRUE(log.rows[8].send.empty() && log.rows[8].recv.empty());
}

TEST_F(RecorderTest, ExpectedRowsAreComparedWhole) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  OwnedRow row = row_of(1);
  std::vector<LogDump::Row> given;
  const auto give = [&] {
    for (int k = 0; k < 4; ++k) {
      call(recorder, world, row);
      given.push_back(row.dump());
    }
  };
  give();
  row.recv.back() = 17;
  give();
  row.send.back() = 18;
  give();
  row.recv.front() = 19;
  give();
  recorder.finish(true);
  const auto rows = dump().rows_of(world, alltoallv);
  ASSERT_EQ(rows.size(), given.size());
  for (const auto& [index, found] : rows) EXPECT_EQ(found, given[index]) << index;
}

TEST_F(RecorderTest, DisplacementsAreRowsOfTheirOwn) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  for (int k = 0; k < 6; ++k) {
    const Recorder::Call call = recorder.begin_call(world, alltoallv);
    recorder.record_counts(call, row_of(1).row());
    recorder.record_displacements(call, row_of(k % 2).row());
  }
  recorder.finish(true);
  EXPECT_EQ(recorder.recorded_calls(), 6U);
  const LogDump log = dump();
  EXPECT_EQ(log.rows.size(), 3U);
  EXPECT_EQ(log.runs.size(), 3U);
  const auto displacements = log.rows_of(world, alltoallv, Subject::displacements);
  ASSERT_EQ(displacements.size(), 6U);
  EXPECT_EQ(displacements.at(3).content, rank_log::Content::displacements);
  EXPECT_EQ(displacements.at(3).send.back(), 1);
  EXPECT_EQ(displacements.at(4).send.back(), 0);
  EXPECT_EQ(displacements.at(3).send_type_size, 8U);
}

TEST_F(RecorderTest, KeepsAllTimes) {
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

TEST_F(RecorderTest, BacktracesNameModulesAndOffsets) {
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
  EXPECT_EQ(log.runs.size(), 2U);
}

/// Random programs: loops over random sequences of rows, on several communicators and operations.
class RandomPrograms : public RecorderTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  struct Expected {
    std::uint64_t id;
    LogDump::Row row;
  };
};

TEST_P(RandomPrograms, AreInTheLogCallByCall) {
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

INSTANTIATE_TEST_SUITE_P(RecorderTest, RandomPrograms, ::testing::Range(0U, 24U));

TEST_F(RecorderTest, ForgottenRowsComeAgainUnderAnotherNumber) {
  Recorder recorder = this->recorder({.memory_bytes = 10'000});
  const std::uint32_t world = add_world(recorder);
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < 1000; ++k) call(recorder, world, row_of(k));
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_GT(log.rows.size(), 1900U);
  const auto rows = log.rows_of(world, alltoallv);
  ASSERT_EQ(rows.size(), 2000U);
  for (const auto& [index, row] : rows) ASSERT_EQ(row, row_of(static_cast<int>(index % 1000)).dump());
}

TEST_F(RecorderTest, RowsMayBeLargerThanAnything) {
  Recorder recorder = this->recorder({.memory_bytes = 1000});
  const std::uint32_t world = add_world(recorder);
  const OwnedRow huge = row_of(7, 3'000'000);
  for (int k = 0; k < 6; ++k) call(recorder, world, k % 3 == 0 ? huge : row_of(k));
  recorder.finish(true);
  const LogDump log = dump();
  const auto rows = log.rows_of(world, alltoallv);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows.at(3), huge.dump());
  EXPECT_EQ(rows.at(5), row_of(5).dump());
}

}  // namespace
}  // namespace plimsoll::collectives
