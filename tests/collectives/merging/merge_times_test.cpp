#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <plimsoll/collectives/internal/recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/merging/only_lead.hpp"
#include "collectives/profiles.hpp"
#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Tests of the data on calls other than counts: times and backtraces.

TEST(Merge, ConvertsTimesToClockOfRankZero) {
  // Rank 1's clock is 1000 ns behind at first, and 2000 ns behind after 10000 ns.
  LogBuilder first(0, 2);
  LogBuilder second(1, 2);
  for (LogBuilder* log : {&first, &second}) {
    log->communicator(log == &first ? 0 : 1, {0, 1});
    log->row({.send = {1, 1}, .recv = {1, 1}});
    log->calls({.operation = alltoallv, .count = 3, .id = 5});
  }
  const auto time = [](std::uint64_t index, std::uint64_t begin, std::uint64_t duration) {
    return rank_log::CallTime{.operation = static_cast<std::uint8_t>(alltoallv.index()),
                              .index = index,
                              .begin_ns = begin,
                              .duration_ns = duration};
  };
  first.clock(100000, 0, 0, 100000).times({time(0, 101000, 5000), time(2, 108000, 6000)}, 4);
  first.clock(110000, 0, 0, 100000).finished();
  second.clock(99000, 1000, 30, 100000)
      .times({time(0, 99000, 7000), time(1, 100000, 5), time(2, 104000, 8000)}, 3);
  second.clock(109000, 2000, 40, 100000).finished();
  const MergeResult result = merge_logs({first.bytes(), second.bytes()});
  EXPECT_NEAR(result.profile.clock_error_s.value(), 40e-9, 1e-15);
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.execution_s, SizeIs(1));
  const RankValues& execution = lead.execution_s[0];
  EXPECT_EQ(execution.operation, alltoallv);
  EXPECT_EQ(execution.comm_size, 2U);
  EXPECT_THAT(execution.calls, ElementsAre(5, 7));
  const auto near_ns = [](double ns) { return ::testing::DoubleNear(ns * 1e-9, 1e-14); };
  EXPECT_THAT(execution.values, ElementsAre(near_ns(5000), near_ns(7000), near_ns(6000), near_ns(8000)));
  ASSERT_THAT(lead.begin_s, SizeIs(1));
  // Call 2 began on rank 1 when its clock offset was 1000 + (104000 - 99000) / 10000 x 1000 = 1500 ns.
  EXPECT_THAT(lead.begin_s[0].values, ElementsAre(near_ns(1000), near_ns(0), near_ns(8000), near_ns(5500)));
  ASSERT_THAT(lead.late_arrival_s, SizeIs(1));
  EXPECT_THAT(lead.late_arrival_s[0].values,
              ElementsAre(near_ns(0), near_ns(1000), near_ns(0), near_ns(2500)));
}

/// One call of an operation on a rank.
struct Call {
  Operation operation;
  std::uint64_t begin_ns;
  std::uint64_t duration_ns;
};

/// Builds the log of a rank of a ring that made this call. Its clock is that of rank 0.
std::string log_of(std::uint32_t rank, std::uint32_t ranks, const Call& call) {
  LogBuilder log(rank, ranks);
  std::vector<std::uint32_t> members(ranks);
  std::iota(members.begin(), members.end(), 0U);
  log.communicator(rank, members);
  const std::vector<std::uint32_t> neighbors = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  if (call.operation.neighborhood) log.neighbors(0, neighbors, neighbors);
  log.row({.send = {1}, .recv = {1}});
  log.calls({.operation = call.operation});
  log.clock(0, 0, 0, 0);
  log.times({{.operation = static_cast<std::uint8_t>(call.operation.index()),
              .begin_ns = call.begin_ns,
              .duration_ns = call.duration_ns}},
            1);
  return log.finished().bytes();
}

/// Returns the time in ns that each rank waited in the call.
std::vector<double> waits_ns(const std::vector<Call>& of_ranks) {
  std::vector<std::string> logs;
  const auto ranks = static_cast<std::uint32_t>(of_ranks.size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) logs.push_back(log_of(rank, ranks, of_ranks[rank]));
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  if (lead.late_arrival_s.size() != 1) return {};
  std::vector<double> waits = lead.late_arrival_s[0].values;
  for (double& wait : waits) wait = std::round(wait * 1e9);
  return waits;
}

TEST(Merge, LimitsWaitsToTimeInCall) {
  constexpr Operation ialltoall{Exchange::alltoall, Mode::nonblocking};
  EXPECT_THAT(waits_ns({{ialltoall, 100, 40}, {ialltoall, 200, 5000}, {ialltoall, 1000, 3}}),
              ElementsAre(40, 800, 0));
}

TEST(Merge, WaitsForNeighboursOnly) {
  constexpr Operation exchange{Exchange::alltoall, Mode::blocking, true};
  // Rank 3 of a ring of 6 is late, and rank 2 leaves before it arrives.
  EXPECT_THAT(waits_ns({{exchange, 10, 500},
                        {exchange, 20, 500},
                        {exchange, 30, 60},
                        {exchange, 900, 500},
                        {exchange, 50, 5000},
                        {exchange, 60, 500}}),
              ElementsAre(50, 10, 60, 0, 850, 0));
}

TEST(Merge, ComputesExecutionTimesWithoutClocks) {
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  log.calls({.operation = alltoall});
  log.times({{.operation = static_cast<std::uint8_t>(alltoall.index()), .begin_ns = 5, .duration_ns = 7}}, 1);
  const MergeResult result = merge_logs({log.finished().bytes()});
  const Lead& lead = only_lead(result);
  EXPECT_THAT(lead.execution_s, SizeIs(1));
  EXPECT_THAT(lead.begin_s, IsEmpty());
  EXPECT_THAT(lead.late_arrival_s, IsEmpty());
}

TEST(Merge, KeepsBacktracesOfLead) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1}, 0);
    log.communicator(rank, {0, 1}, 1);
    log.row({.send = {1}, .recv = {1}});
    log.module(0, "/no/such/app");
    log.backtrace(0, {{.module = 0, .offset = 0x1234}, {.module = 0, .offset = 0x10}});
    log.calls({.communicator = 0, .operation = alltoall, .count = 2, .id = 0, .id_step = 2});
    log.calls({.communicator = 1, .operation = alltoall, .id = 1});
    log.calls({.communicator = 0,
               .operation = alltoall,
               .count = 2,
               .id = 0,
               .id_step = 2,
               .subject = rank_log::Subject::backtrace});
    log.calls({.communicator = 1, .operation = alltoall, .id = 1, .subject = rank_log::Subject::backtrace});
    logs.push_back(log.finished().bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.backtraces, SizeIs(1));
  const Backtrace& backtrace = lead.backtraces[0];
  EXPECT_EQ(backtrace.program, "/bin/app");
  EXPECT_EQ(backtrace.pid, 1000U);
  ASSERT_THAT(backtrace.frames, SizeIs(2));
  EXPECT_THAT(backtrace.frames[0], HasSubstr("/no/such/app"));
  EXPECT_THAT(backtrace.frames[0], HasSubstr("[0x1234]"));
  ASSERT_THAT(backtrace.contexts, SizeIs(2));
  EXPECT_EQ(backtrace.contexts[0].calls.to_string(), "0, 2");
  EXPECT_EQ(backtrace.contexts[1].communicator, 1U);
  EXPECT_EQ(backtrace.contexts[1].calls.to_string(), "1");
}

}  // namespace

namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(MergeHashes, ContainsBothDirectionsOfEachRank) {
  const auto hash = [](std::uint64_t index, bool received, std::uint64_t value) {
    return rank_log::CallHash{.operation = static_cast<std::uint8_t>(Operation{}.index()),
                              .received = received,
                              .index = index,
                              .hash = value};
  };
  LogBuilder first(0, 2);
  LogBuilder second(1, 2);
  for (LogBuilder* log : {&first, &second}) {
    log->communicator(log == &first ? 0 : 1, {0, 1});
    log->row({.send = {1, 1}, .recv = {1, 1}});
    log->calls({.count = 3, .id = 5});
  }
  first.hashes({hash(0, false, 10), hash(0, true, 11), hash(2, false, 12)}, 4).finished();
  // The receive of call 0 is recorded after call 2 has begun. The lead did not make call 3.
  second.hashes({hash(1, false, 20), hash(2, false, 21)}, 2);
  second.hashes({hash(0, true, 22), hash(3, false, 23)}, 2).finished();
  const MergeResult result = merge_logs({first.bytes(), second.bytes()});
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.hashes, SizeIs(1));
  EXPECT_EQ(lead.hashes[0].comm_size, 2U);
  EXPECT_THAT(lead.hashes[0].calls, ElementsAre(5, 6, 7));
  EXPECT_THAT(lead.hashes[0].values, ElementsAre(DataHashes{10, 11}, DataHashes{0, 22}, DataHashes{0, 0},
                                                 DataHashes{20, 0}, DataHashes{12, 0}, DataHashes{21, 0}));
}

TEST(MergeHashes, ContainsAllHashesOfRecorder) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.folder = folder.path();
  Recorder recorder(options, RankIdentity{1, 5, 0, 1, 100, "host", "/bin/app"});
  recorder.add_communicator({.comm_rank = 0, .members = {0}});
  constexpr std::uint64_t calls = 5000;  // several records
  const std::int32_t count = 1;
  for (std::uint64_t k = 0; k < calls; ++k) {
    const auto call = recorder.begin_call(0, {});
    recorder.record_counts(call, {.send = IntegerSpan(&count, 1), .recv = IntegerSpan(&count, 1)});
    recorder.record_hash(call, Direction::send, k + 1);
    recorder.record_hash(call, Direction::recv, UINT64_MAX - k);
  }
  recorder.finish(true);
  const std::string log = file_content(recorder.path());
  const MergeResult result = merge_logs({log});
  const RankHashes& hashes = only_lead(result).hashes.at(0);
  ASSERT_THAT(hashes.values, SizeIs(calls));
  for (std::uint64_t k = 0; k < calls; ++k) EXPECT_EQ(hashes.values[k], (DataHashes{k + 1, UINT64_MAX - k}));
}

TEST(MergeHashes, AreMissingIfNotRecorded) {
  LogBuilder log(0, 1);
  log.communicator(0, {0});
  log.row({.send = {1}, .recv = {1}});
  const MergeResult result = merge_logs({log.calls({.count = 2}).finished().bytes()});
  EXPECT_THAT(only_lead(result).hashes, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::testing
