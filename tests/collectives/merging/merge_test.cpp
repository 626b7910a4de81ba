#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "collectives/log_builder.hpp"
#include "collectives/merging/only_lead.hpp"
#include "collectives/profiles.hpp"

namespace plimsoll::testing {
namespace {

using namespace collectives;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Operation neighbor_alltoallv{Exchange::alltoallv, Mode::blocking, true};
constexpr Operation neighbor_allgatherv{Exchange::allgatherv, Mode::blocking, true};

/// Describes all rows of a matrix: "0-1: 2 3 | 2: 4 4".
std::string text(const CountMatrix& matrix) {
  std::string text;
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    text += (row > 0 ? " | " : "") + matrix.ranks[row].to_string() + ":";
    for (const std::int64_t count : matrix.row(row)) text += " " + std::to_string(count);
  }
  return text;
}

// Ranks 2, 3 and 4 make no calls; the log of rank 3 is missing.
TEST(Merge, KnowsHostsOfRanksWithoutCalls) {
  std::vector<std::string> logs;
  for (const std::uint32_t rank : {0, 1, 2, 4}) {
    LogBuilder log(rank, 5);
    log.name_writer(rank % 2 == 0 ? "even" : "odd", "/bin/app");
    if (rank < 2) {
      log.communicator(rank, {0, 1});
      log.row({.send = {1, 1}, .recv = {1, 1}});
      log.calls({.operation = alltoallv});
    }
    logs.push_back(log.finished().bytes());
  }
  const Profile profile = merge_logs(logs).profile;
  ASSERT_THAT(profile.hosts, SizeIs(2));
  EXPECT_EQ(profile.hosts[0].name, "even");
  EXPECT_EQ(profile.hosts[0].ranks.to_string(), "0, 2, 4");
  EXPECT_EQ(profile.hosts[1].name, "odd");
  EXPECT_EQ(profile.hosts[1].ranks.to_string(), "1");
}

TEST(Merge, CombinesRowsOfAllRanks) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    LogBuilder log(rank, 3);
    log.communicator(rank, {0, 1, 2});
    const bool last = rank == 2;
    log.row({.send = last ? LogBuilder::Numbers{4, 5, 6} : LogBuilder::Numbers{1, 2, 3},
             .recv = {static_cast<std::int64_t>(rank), 0, 0}});
    log.row({.send = {9, 9, 9}, .recv = {9, 9, 9}});
    log.calls({.operation = alltoallv, .item = 0, .index = 0, .count = 2});
    log.calls({.operation = alltoallv, .item = 1, .index = 2});
    log.calls({.operation = alltoallv, .item = 0, .index = 3});
    log.finished({0, 0, 0, 0, 0, 0, 4});
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.profile.world_size, 3U);
  EXPECT_TRUE(result.profile.cut_short.empty());
  EXPECT_EQ(result.profile.incomplete_calls, 0U);
  EXPECT_FALSE(result.profile.clock_error_s);
  const Lead& lead = only_lead(result);
  EXPECT_EQ(lead.job, 42U);
  EXPECT_EQ(lead.rank, 0U);
  EXPECT_EQ(lead.total_calls[alltoallv.index()], 4U);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "0-1, 3");
  EXPECT_EQ(lead.signatures[0].comm_size, 3U);
  EXPECT_EQ(lead.signatures[0].operation, alltoallv);
  EXPECT_EQ(lead.signatures[0].send.type_size, 4U);
  EXPECT_THAT(lead.signatures[0].send.type_sizes, IsEmpty());
  EXPECT_EQ(text(lead.signatures[0].send.matrix), "0-1: 1 2 3 | 2: 4 5 6");
  EXPECT_EQ(text(lead.signatures[0].recv.matrix), "0: 0 0 0 | 1: 1 0 0 | 2: 2 0 0");
  EXPECT_EQ(lead.signatures[1].calls.to_string(), "2");
  EXPECT_EQ(text(lead.signatures[1].send.matrix), "0-2: 9 9 9");
  ASSERT_THAT(lead.communicators, SizeIs(1));
  const Communicator& world = lead.communicators[0];
  EXPECT_EQ(world.members.to_string(), "0-2");
  EXPECT_THAT(world.pids, ElementsAre(1000, 1001, 1002));
  EXPECT_THAT(world.hosts, ElementsAre("node0", "node0", "node1"));
  ASSERT_THAT(world.calls, SizeIs(1));
  EXPECT_EQ(world.calls[0].ids.to_string(), "0-3");
}

TEST(Merge, KeepsOrderOfOperations) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1});
    log.row({.send = {5}, .recv = {5, 6}});
    log.row({.send = {8}, .recv = {8}});
    log.calls({.operation = allgatherv, .item = 0});
    log.calls({.operation = alltoall, .item = 1, .count = 1000000});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(lead.signatures[0].operation, alltoall);
  EXPECT_EQ(text(lead.signatures[0].send.matrix), "0-1: 8");
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "0-999999");
  EXPECT_EQ(lead.signatures[1].operation, allgatherv);
  EXPECT_EQ(text(lead.signatures[1].send.matrix), "0-1: 5");
  EXPECT_EQ(text(lead.signatures[1].recv.matrix), "0-1: 5 6");
  EXPECT_EQ(lead.signatures[1].recv.matrix.columns, 2U);
}

// Two communicators have equal members, and the ranks use them in different orders. Number 0 is a different
// communicator on each rank.
TEST(Merge, MatchesDuplicatedCommunicatorsByCreationOrder) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    const std::uint64_t used_first = rank;
    log.communicator(rank, {0, 1}, used_first);
    log.communicator(rank, {0, 1}, 1 - used_first);
    // Ranks send 1 on the communicator created first, and 2 on the other one.
    const auto row = [&](std::int64_t count) {
      return log.row({.send = {count, count}, .recv = {count, count}});
    };
    row(used_first == 0 ? 1 : 2);
    row(used_first == 0 ? 2 : 1);
    log.calls({.communicator = 0, .operation = alltoallv, .item = 0, .id = 0});
    log.calls({.communicator = 1, .operation = alltoallv, .item = 1, .id = 1});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(text(lead.signatures[0].send.matrix), "0-1: 1 1");
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "0");
  EXPECT_EQ(text(lead.signatures[1].send.matrix), "0-1: 2 2");
  EXPECT_EQ(lead.signatures[1].calls.to_string(), "1");
  ASSERT_THAT(lead.communicators, SizeIs(2));
  EXPECT_EQ(lead.communicators[1].id, 1U);
  EXPECT_EQ(lead.communicators[1].calls.at(0).ids.to_string(), "1");
}

// Ranks 0 and 1 form one half; ranks 2 and 3 form the other half in reversed order. Then all ranks make
// calls. Call IDs count separately for each lead.
TEST(Merge, AssignsLeadsToSubCommunicators) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    LogBuilder log(rank, 4);
    const bool low = rank < 2;
    log.communicator(low ? rank : 3 - rank,
                     low ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{3, 2});
    log.communicator(rank, {0, 1, 2, 3});
    log.row({.send = {rank, rank}, .recv = {7, 7}});
    log.row({.send = {1, 1, 1, 1}, .recv = {1, 1, 1, 1}});
    log.calls({.communicator = 0,
               .operation = alltoallv,
               .item = 0,
               .index = 0,
               .count = 2,
               .id = 0,
               .id_step = 2});
    log.calls({.communicator = 1, .operation = alltoallv, .item = 1, .index = 0, .id = 1});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  ASSERT_THAT(result.profile.leads, SizeIs(2));
  const Lead& first = result.profile.leads[0];
  ASSERT_THAT(first.signatures, SizeIs(2));
  EXPECT_EQ(first.signatures[0].calls.to_string(), "0, 2");
  EXPECT_EQ(first.signatures[0].comm_size, 2U);
  EXPECT_EQ(text(first.signatures[0].send.matrix), "0: 0 0 | 1: 1 1");
  EXPECT_EQ(first.signatures[1].calls.to_string(), "1");
  EXPECT_EQ(first.signatures[1].comm_size, 4U);
  EXPECT_THAT(first.communicators, SizeIs(2));
  const Lead& second = result.profile.leads[1];
  EXPECT_EQ(second.rank, 3U);
  ASSERT_THAT(second.signatures, SizeIs(1));
  EXPECT_EQ(text(second.signatures[0].send.matrix), "0: 3 3 | 1: 2 2");
  ASSERT_THAT(second.communicators, SizeIs(1));
  EXPECT_EQ(second.communicators[0].members.to_string(), "3, 2");
  EXPECT_THAT(second.communicators[0].pids, ElementsAre(1003, 1002));
}

// A communicator that is freed and created again is a new communicator, but its calls with equal counts join
// the same count set.
TEST(Merge, JoinsEqualCountSetsOfOneLead) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1}, 0);
    log.communicator(rank, {0, 1}, 1);
    log.row({.send = {3, 4}, .recv = {3, 4}});
    log.calls({.communicator = 0, .operation = alltoallv, .count = 2, .id = 0, .id_step = 2});
    log.calls({.communicator = 1, .operation = alltoallv, .count = 2, .id = 1, .id_step = 2});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(1));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "0-3");
  ASSERT_THAT(lead.communicators, SizeIs(2));
  EXPECT_EQ(lead.communicators[0].calls.at(0).ids.to_string(), "0, 2");
  EXPECT_EQ(lead.communicators[1].calls.at(0).ids.to_string(), "1, 3");
}

TEST(Merge, KeepsDifferentTypeSizes) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    LogBuilder log(rank, 3);
    log.communicator(rank, {0, 1, 2});
    log.row({.send_type_size = rank == 1 ? 1U : 8U,
             .recv_type_size = 2,
             .send = {1, 1, 1},
             .recv = {1, 1, 1},
             .wide = rank == 2});
    log.calls({.operation = alltoallv});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  const Signature& signature = only_lead(result).signatures.at(0);
  EXPECT_EQ(signature.send.type_size, 8U);
  EXPECT_THAT(signature.send.type_sizes, ElementsAre(8, 1, 8));
  EXPECT_EQ(text(signature.send.matrix), "0-2: 1 1 1");
  EXPECT_EQ(signature.recv.type_size, 2U);
  EXPECT_THAT(signature.recv.type_sizes, IsEmpty());
}

TEST(Merge, AssignsLeadToBothSidesOfInterCommunicator) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    LogBuilder log(rank, 3);
    if (rank < 2) {
      log.communicator(rank, {0, 1}, 0, {2});
      log.row({.send = {10 + rank}, .recv = {20 + rank}});
    } else {
      log.communicator(0, {2}, 0, {0, 1});
      log.row({.send = {20, 21}, .recv = {10, 11}});
    }
    log.calls({.operation = alltoallv});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  ASSERT_THAT(result.profile.leads, SizeIs(2));
  const Signature& one = result.profile.leads[0].signatures.at(0);
  EXPECT_EQ(one.comm_size, 2U);
  EXPECT_EQ(text(one.send.matrix), "0: 10 | 1: 11");
  const Signature& other = result.profile.leads[1].signatures.at(0);
  EXPECT_EQ(result.profile.leads[1].rank, 2U);
  EXPECT_EQ(other.comm_size, 1U);
  EXPECT_EQ(text(other.send.matrix), "0: 20 21");
  EXPECT_EQ(result.profile.leads[1].communicators.at(0).remote_members.to_string(), "0-1");
}

TEST(Merge, ConvertsNeighboursToRanks) {
  std::vector<std::string> logs;
  // Rank 0 sends to rank 2, then to rank 1, then to rank 2 again. Rank 1 therefore receives once from rank 0,
  // and rank 2 twice.
  const std::vector<std::vector<std::uint32_t>> sources = {{}, {0}, {0, 0}};
  const std::vector<LogBuilder::Numbers> received = {{}, {6}, {5, 7}};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    LogBuilder log(rank, 3);
    log.communicator(rank, {0, 1, 2});
    log.neighbors(0, sources[rank],
                  rank == 0 ? std::vector<std::uint32_t>{2, 1, 2} : std::vector<std::uint32_t>{});
    log.row(
        {.send = rank == 0 ? LogBuilder::Numbers{5, 6, 7} : LogBuilder::Numbers{}, .recv = received[rank]});
    log.row({.send = {3},
             .recv = rank == 0 ? LogBuilder::Numbers{} : LogBuilder::Numbers(sources[rank].size(), 3)});
    log.calls({.operation = neighbor_alltoallv, .item = 0});
    log.calls({.operation = neighbor_allgatherv, .item = 1});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(text(lead.signatures[0].send.matrix), "0: 0 6 12 | 1-2: 0 0 0");
  EXPECT_EQ(text(lead.signatures[0].recv.matrix), "0: 0 0 0 | 1: 6 0 0 | 2: 12 0 0");
  EXPECT_EQ(text(lead.signatures[1].send.matrix), "0: 0 3 6 | 1-2: 0 0 0");
  EXPECT_EQ(text(lead.signatures[1].recv.matrix), "0: 0 0 0 | 1: 3 0 0 | 2: 6 0 0");
}

TEST(Merge, MergesDisplacements) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.communicator(rank, {0, 1});
    log.row({.send = {4}, .recv = {4, 4}});
    log.row({.send_type_size = 8, .recv = {0, -8}, .content = rank_log::Content::displacements});
    log.calls({.operation = allgatherv, .item = 0, .count = 3});
    log.calls({.operation = allgatherv, .item = 1, .count = 3, .subject = rank_log::Subject::displacements});
    log.finished();
    logs.push_back(log.bytes());
  }
  const MergeResult result = merge_logs(logs);
  EXPECT_THAT(result.findings, IsEmpty());
  const Lead& lead = only_lead(result);
  EXPECT_THAT(lead.signatures, SizeIs(1));
  ASSERT_THAT(lead.displacements, SizeIs(1));
  EXPECT_EQ(lead.displacements[0].calls.to_string(), "0-2");
  EXPECT_EQ(lead.displacements[0].send.matrix.rows(), 0U);
  EXPECT_EQ(lead.displacements[0].send.type_size, 8U);
  EXPECT_EQ(lead.displacements[0].recv.type_size, 4U);
  EXPECT_EQ(text(lead.displacements[0].recv.matrix), "0-1: 0 -8");
}

// Every third call is recorded, and each rank splits these calls into different runs.
TEST(Merge, MergesSampledCalls) {
  LogBuilder first(0, 2);
  LogBuilder second(1, 2);
  for (LogBuilder* log : {&first, &second}) {
    log->communicator(log == &first ? 0 : 1, {0, 1});
    log->row({.send = {1, 1}, .recv = {1, 1}});
    log->row({.send = {2, 2}, .recv = {2, 2}});
  }
  // The indices are 1, 4, 7, ... 28. On the lead, each call ID is the index plus 10.
  first.calls(
      {.operation = alltoallv, .item = 0, .index = 1, .count = 10, .index_step = 3, .id = 11, .id_step = 3});
  second.calls({.operation = alltoallv, .item = 0, .index = 1, .count = 5, .index_step = 6, .id_step = 6});
  second.calls({.operation = alltoallv, .item = 1, .index = 4, .count = 5, .index_step = 6, .id_step = 6});
  const MergeResult result = merge_logs({first.finished().bytes(), second.finished().bytes()});
  const Lead& lead = only_lead(result);
  EXPECT_EQ(result.profile.incomplete_calls, 0U);
  ASSERT_THAT(lead.signatures, SizeIs(2));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "11, 17, 23, 29, 35");
  EXPECT_EQ(text(lead.signatures[0].send.matrix), "0-1: 1 1");
  EXPECT_EQ(lead.signatures[1].calls.to_string(), "14, 20, 26, 32, 38");
  EXPECT_EQ(text(lead.signatures[1].send.matrix), "0: 1 1 | 1: 2 2");
}

// No log can force the merge to process all of these calls one by one.
TEST(Merge, MergesFewCallsOfOneRankWithManyOfAnother) {
  constexpr std::uint64_t gap = (std::uint64_t{1} << 40) + 1;
  LogBuilder often(0, 2);
  LogBuilder rarely(1, 2);
  for (LogBuilder* log : {&often, &rarely}) {
    log->communicator(log == &often ? 0 : 1, {0, 1});
    log->row({.send = {1, 1}, .recv = {1, 1}});
  }
  often.calls({.operation = alltoallv, .index = 0, .count = 4 * gap});
  rarely.calls({.operation = alltoallv, .index = 2, .count = 3, .index_step = gap, .id = 0});
  const MergeResult result = merge_logs({often.finished().bytes(), rarely.finished().bytes()});
  EXPECT_EQ(result.profile.incomplete_calls, 4 * gap - 3);
  const Lead& lead = only_lead(result);
  ASSERT_THAT(lead.signatures, SizeIs(1));
  EXPECT_EQ(lead.signatures[0].calls.to_string(), "2, 1099511627779, 2199023255556");
}

}  // namespace
}  // namespace plimsoll::testing
