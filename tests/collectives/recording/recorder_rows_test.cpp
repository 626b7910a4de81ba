#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "collectives/recording/recorder_fixture.hpp"

// Tests that the recorder stores equal rows once, and repeated calls in little space.
namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

using rank_log::Subject;

TEST_F(LogRecorder, StoresMillionEqualCallsInLessThanOneKibibyte) {
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
  EXPECT_EQ(log.rows_of(world, alltoallv).size(), 1'000'000U);
  ASSERT_TRUE(log.finished);
  EXPECT_TRUE(log.finished->finalized);
  EXPECT_EQ(log.finished->calls.at(alltoallv.index()), 1'000'000U);
}

class RowCycles : public LogRecorder, public ::testing::WithParamInterface<std::string> {};

TEST_P(RowCycles, AreStoredOnce) {
  const std::string& cycle = GetParam();
  {
    Recorder recorder = this->recorder();
    const std::uint32_t world = add_world(recorder);
    for (int k = 0; k < 10'000; ++k) call(recorder, world, row_of(cycle[k % cycle.size()]));
  }
  const LogDump log = dump();
  EXPECT_LE(log.words(), cycle.size() + 35);
  const auto rows = log.rows_of(0, alltoallv);
  ASSERT_EQ(rows.size(), 10'000U);
  for (const auto& [index, row] : rows) ASSERT_EQ(row, row_of(cycle[index % cycle.size()]).dump()) << index;
}

INSTANTIATE_TEST_SUITE_P(LogRecorder, RowCycles,
                         ::testing::Values("A", "AB", "ABCDEFGHIJ", "BBC", "BBBC", "AABBABAAC"));

TEST_F(LogRecorder, StoresLongCyclesOnce) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  constexpr int cycle = 10'000;
  for (int k = 0; k < 5 * cycle; ++k) call(recorder, world, row_of(k % cycle));
  const std::uint64_t bytes = recorder.log_bytes();
  for (int k = 0; k < 5 * cycle; ++k) call(recorder, world, row_of(k % cycle));
  EXPECT_EQ(recorder.log_bytes(), bytes);
  recorder.finish(true);
  const LogDump log = dump();
  EXPECT_EQ(log.rows.size(), 10'000U);
  const auto items = log.items(world, alltoallv, Subject::counts);
  ASSERT_EQ(items.size(), 10U * cycle);
  for (const auto& [index, item] : items) ASSERT_EQ(item.item, index % cycle);
}

// The entropy of two equally likely rows is one bit per call.
TEST_F(LogRecorder, StoresRandomRowsInTheirEntropy) {
  Recorder recorder = this->recorder();
  const std::uint32_t world = add_world(recorder);
  std::mt19937 random(1);
  std::vector<std::uint32_t> given;
  std::uint64_t bytes_before = 0;
  for (int k = 0; k < 100'000; ++k) {
    if (k == 20'000) bytes_before = recorder.log_bytes();
    given.push_back(random() % 2);
    call(recorder, world, row_of(static_cast<int>(given.back())));
  }
  EXPECT_LE(8.0 * static_cast<double>(recorder.log_bytes() - bytes_before) / 80'000, 1.2);
  recorder.finish(true);
  const LogDump log = dump();
  const auto rows = log.rows_of(world, alltoallv);
  ASSERT_EQ(rows.size(), given.size());
  for (const auto& [index, row] : rows) ASSERT_EQ(row.send.back(), given[index]);
}

TEST_F(LogRecorder, DistinguishesRowsByAllFields) {
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
  EXPECT_EQ(log.rows_of(world, alltoallv).size(), 3 * std::size(rows));
  EXPECT_TRUE(log.rows[3].in_place);
  EXPECT_EQ(log.rows[4].send, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(log.rows[4].recv, (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(log.rows[5].wide);
  EXPECT_TRUE(log.rows[7].wide);
  EXPECT_EQ(log.rows[7].send, (std::vector<std::int64_t>{1, 2, std::int64_t{1} << 40}));
  EXPECT_EQ(log.rows[7].recv, (std::vector<std::int64_t>{1, 2, std::int64_t{1} << 40, 1}));
  EXPECT_TRUE(log.rows[8].send.empty() && log.rows[8].recv.empty());
}

TEST_F(LogRecorder, ComparesEveryCountOfExpectedRows) {
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

TEST_F(LogRecorder, StoresDisplacementsInSeparateRows) {
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
  EXPECT_EQ(log.streams.size(), 2U);
  const auto displacements = log.rows_of(world, alltoallv, Subject::displacements);
  ASSERT_EQ(displacements.size(), 6U);
  EXPECT_EQ(displacements.at(3).content, rank_log::Content::displacements);
  EXPECT_EQ(displacements.at(3).send.back(), 1);
  EXPECT_EQ(displacements.at(4).send.back(), 0);
  EXPECT_EQ(displacements.at(3).send_type_size, 8U);
}

TEST_F(LogRecorder, RecordsEvictedRowsAgainUnderNewNumbers) {
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

TEST_F(LogRecorder, RecordsRowsLargerThanMemoryLimit) {
  Recorder recorder = this->recorder({.memory_bytes = 1000});
  const std::uint32_t world = add_world(recorder);
  const OwnedRow huge = row_of(7, 300'000);
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
