// Checks what is recorded about the collectives of programs/special_cases.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/merge.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::Operation;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Matrix = std::vector<std::vector<std::int64_t>>;

constexpr int ranks = 4;

// Returns the counts from each rank to each peer.
Matrix matrix(const collectives::Signature& signature, const collectives::Side& side) {
  Matrix counts(signature.comm_size);
  for (std::size_t k = 0; k < side.matrix.rows(); ++k) {
    const auto row = side.matrix.row(k);
    std::vector<std::int64_t> of_peers(row.begin(), row.end());
    if (row.size() == 1) of_peers.assign(collectives::peers(signature), row[0]);
    side.matrix.ranks[k].for_each([&](std::uint64_t rank) { counts[rank] = of_peers; });
  }
  return counts;
}

Matrix uniform(std::int64_t count, std::size_t rows = ranks, std::size_t columns = ranks) {
  return Matrix(rows, std::vector<std::int64_t>(columns, count));
}

// Results of a run.
struct Recorded {
  Outcome outcome;
  collectives::Profile profile;
  std::vector<std::string> findings;

  const collectives::Lead& lead(std::uint32_t rank) const {
    static const collectives::Lead none;
    for (const collectives::Lead& lead : profile.leads)
      if (lead.rank == rank) return lead;
    ADD_FAILURE() << "no lead " << rank;
    return none;
  }
  // Returns the count sets of an operation such as "Alltoallv".
  std::vector<const collectives::Signature*> signatures(std::uint32_t lead_rank,
                                                        std::string_view operation) const {
    std::vector<const collectives::Signature*> found;
    for (const auto& signature : lead(lead_rank).signatures)
      if (signature.operation.name() == operation) found.push_back(&signature);
    return found;
  }
};

class RecordedCollectives : public ::testing::TestWithParam<TestedMpi> {
 protected:
  Recorded record(const std::string& name, const std::string& options = "counts", int on_ranks = ranks) {
    Recorded recorded;
    recorded.outcome = run({.mpi = GetParam(),
                            .ranks = on_ranks,
                            .program = GetParam().program("special_cases"),
                            .arguments = {name},
                            .options = options + ",merge=later,folder=" + folder_.path()});
    const auto runs = collectives::find_logs(folder_.path());
    if (runs.size() != 1) {
      ADD_FAILURE() << runs.size() << " runs; " << recorded.outcome.err;
      return recorded;
    }
    auto merged = collectives::merge_files(runs[0]);
    recorded.profile = std::move(merged.profile);
    for (const Diagnostic& finding : merged.findings) recorded.findings.push_back(to_string(finding));
    return recorded;
  }

  // Records a run. Checks that the run ended normally and that all its calls were recorded.
  Recorded record_whole(const std::string& name, const std::string& options = "counts") {
    Recorded recorded = record(name, options);
    EXPECT_EQ(recorded.outcome.status, 0) << recorded.outcome.err;
    EXPECT_THAT(recorded.findings, IsEmpty());
    EXPECT_TRUE(recorded.profile.cut_short.empty());
    EXPECT_EQ(recorded.profile.incomplete_calls, 0);
    return recorded;
  }

  TemporaryFolder folder_;
};

TEST_P(RecordedCollectives, MatchesCommunicatorsByCreationOrder) {
  const Recorded recorded = record_whole("order_of_use");
  const auto signatures = recorded.signatures(0, "Ialltoallv");
  ASSERT_THAT(signatures, SizeIs(2));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(matrix(*signatures[k], signatures[k]->send), uniform(static_cast<std::int64_t>(k) + 1));
    EXPECT_EQ(matrix(*signatures[k], signatures[k]->recv), uniform(static_cast<std::int64_t>(k) + 1));
  }
  EXPECT_THAT(recorded.lead(0).communicators, SizeIs(2));
}

TEST_P(RecordedCollectives, MatchesCommunicatorsByParent) {
  const Recorded recorded = record_whole("order_of_copies");
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(2));
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(matrix(*signatures[k], signatures[k]->send), uniform(static_cast<std::int64_t>(k) + 1));
}

TEST_P(RecordedCollectives, DistinguishesCommunicatorsWithSameHandle) {
  const Recorded recorded = record_whole("handles_used_again");
  EXPECT_THAT(recorded.lead(0).communicators, SizeIs(4));
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(4));
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(matrix(*signatures[k], signatures[k]->send), uniform(static_cast<std::int64_t>(k) + 1));
  for (const std::uint32_t lead : {2u, 3u}) {
    ASSERT_THAT(recorded.lead(lead).communicators, SizeIs(1));
    EXPECT_EQ(recorded.lead(lead).communicators[0].members[0], lead);
    EXPECT_EQ(recorded.lead(lead).communicators[0].members[1], lead - 2);
    ASSERT_THAT(recorded.signatures(lead, "Alltoallv"), SizeIs(1));
    EXPECT_EQ(recorded.signatures(lead, "Alltoallv")[0]->calls.to_string(), "4");
  }
}

TEST_P(RecordedCollectives, CountsEachStartOfPersistentCollective) {
  const Recorded recorded = record_whole("persistent");
  const auto signatures = recorded.signatures(0, "Alltoallv_init");
  ASSERT_THAT(signatures, SizeIs(1));
  EXPECT_EQ(signatures[0]->calls.to_string(), "0-4");
  EXPECT_EQ(matrix(*signatures[0], signatures[0]->recv), uniform(3));
}

TEST_P(RecordedCollectives, RecordsNeighboursOfTopologies) {
  const Recorded recorded = record_whole("neighborhood");
  const auto row = recorded.signatures(0, "Neighbor_alltoallv");
  ASSERT_THAT(row, SizeIs(1));
  const Matrix sent = {{0, 20, 0, 0}, {11, 0, 21, 0}, {0, 12, 0, 22}, {0, 0, 13, 0}};
  const Matrix received = {{0, 11, 0, 0}, {20, 0, 12, 0}, {0, 21, 0, 13}, {0, 0, 22, 0}};
  EXPECT_EQ(matrix(*row[0], row[0]->send), sent);
  EXPECT_EQ(matrix(*row[0], row[0]->recv), received);

  const auto ring = recorded.signatures(0, "Ineighbor_alltoallv");
  ASSERT_THAT(ring, SizeIs(1));
  const Matrix to_next = {{0, 3, 0, 0}, {0, 0, 3, 0}, {0, 0, 0, 3}, {3, 0, 0, 0}};
  EXPECT_EQ(matrix(*ring[0], ring[0]->send), to_next);
}

TEST_P(RecordedCollectives, RecordsBothSidesOfInterCommunicator) {
  const Recorded recorded = record_whole("inter_communicator");
  const auto alone = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(alone, SizeIs(1));
  EXPECT_EQ(matrix(*alone[0], alone[0]->send), Matrix({{2, 2, 2}}));
  EXPECT_EQ(matrix(*alone[0], alone[0]->recv), Matrix({{1, 2, 3}}));
  const auto others = recorded.signatures(1, "Alltoallv");
  ASSERT_THAT(others, SizeIs(1));
  EXPECT_EQ(others[0]->send.matrix.columns, 1);
  EXPECT_THAT(others[0]->send.matrix.counts, ElementsAre(1, 2, 3));
  EXPECT_EQ(recorded.lead(1).communicators.at(0).remote_members.to_string(), "0");
}

TEST_P(RecordedCollectives, UsesReceiveCountsAsSendCountsInPlace) {
  const Recorded recorded = record_whole("in_place");
  for (const auto& [operation, bytes] : {std::pair{"Alltoall", 6}, {"Alltoallv", 6}, {"Alltoallw", 12}}) {
    const auto signatures = recorded.signatures(0, operation);
    ASSERT_THAT(signatures, SizeIs(1)) << operation;
    EXPECT_EQ(matrix(*signatures[0], signatures[0]->send), uniform(bytes)) << operation;
    EXPECT_EQ(matrix(*signatures[0], signatures[0]->recv), uniform(bytes)) << operation;
    EXPECT_EQ(signatures[0]->send.type_size, 1) << operation;
  }
  const auto gathers = recorded.signatures(0, "Allgatherv");
  ASSERT_THAT(gathers, SizeIs(1));
  EXPECT_EQ(matrix(*gathers[0], gathers[0]->send),
            Matrix({{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}, {4, 4, 4, 4}}));
  EXPECT_EQ(matrix(*gathers[0], gathers[0]->recv), Matrix(4, {1, 2, 3, 4}));
}

TEST_P(RecordedCollectives, CountsBytesOfDerivedTypes) {
  const Recorded recorded = record_whole("derived_types");
  const auto alltoall = recorded.signatures(0, "Alltoall");
  ASSERT_THAT(alltoall, SizeIs(1));
  EXPECT_EQ(alltoall[0]->send.type_size, 24);
  EXPECT_EQ(alltoall[0]->recv.type_size, 4);
  EXPECT_EQ(matrix(*alltoall[0], alltoall[0]->recv), uniform(6));
  const auto by_peer = recorded.signatures(0, "Alltoallw");
  ASSERT_THAT(by_peer, SizeIs(1));
  EXPECT_EQ(matrix(*by_peer[0], by_peer[0]->send),
            Matrix({{4, 1, 1, 0}, {4, 1, 1, 1}, {4, 1, 1, 1}, {4, 1, 1, 1}}));
  EXPECT_EQ(matrix(*by_peer[0], by_peer[0]->recv),
            Matrix({{4, 4, 4, 4}, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 1, 1}}));
}

TEST_P(RecordedCollectives, RecordsCallsOfConcurrentThreads) {
  const Recorded recorded = record("threads");
  if (recorded.outcome.status == 77) GTEST_SKIP() << "this MPI supports only one thread";
  EXPECT_EQ(recorded.outcome.status, 0) << recorded.outcome.err;
  EXPECT_THAT(recorded.findings, IsEmpty());
  EXPECT_THAT(recorded.lead(0).communicators, SizeIs(4));
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(4));
  for (const auto* signature : signatures) EXPECT_EQ(signature->calls.size(), 40);
}

TEST_P(RecordedCollectives, MatchesCommunicatorsCreatedByThreads) {
  const Recorded recorded = record("threads_make_communicators");
  if (recorded.outcome.status == 77) GTEST_SKIP() << "this MPI supports only one thread";
  EXPECT_EQ(recorded.outcome.status, 0) << recorded.outcome.err;
  EXPECT_THAT(recorded.findings, IsEmpty());
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(2));
  for (const auto* signature : signatures) {
    EXPECT_EQ(signature->calls.size(), 20);
    EXPECT_THAT(signature->send.matrix.ranks, SizeIs(1));
  }
}

TEST_P(RecordedCollectives, IgnoresForkedProcesses) {
  const Recorded recorded = record_whole("fork");
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(2));
  EXPECT_EQ(matrix(*signatures[1], signatures[1]->send), uniform(2));
}

TEST_P(RecordedCollectives, PausesOnRequestOfProgram) {
  const Recorded recorded = record_whole("pause_and_resume");
  const auto signatures = recorded.signatures(0, "Alltoallv");
  ASSERT_THAT(signatures, SizeIs(1));
  EXPECT_EQ(signatures[0]->calls.to_string(), "0, 3-4");
  EXPECT_EQ(recorded.lead(0).total_calls[Operation{collectives::Exchange::alltoallv}.index()], 5);
}

TEST_P(RecordedCollectives, RecordsDisplacementsWithTheirTypeSizes) {
  const Recorded recorded = record_whole("derived_types", "counts,displacements");
  const auto& displacements = recorded.lead(0).displacements;
  ASSERT_THAT(displacements, SizeIs(2));  // Alltoallv with bytes, and Alltoallw
  for (const collectives::Signature& signature : displacements) {
    EXPECT_EQ(signature.send.type_size, 1U);
    EXPECT_EQ(signature.recv.type_size, 1U);
    EXPECT_EQ(matrix(signature, signature.recv), Matrix(ranks, {0, 64, 128, 192}));
  }
}

TEST_P(RecordedCollectives, LeavesErrorHandlingToMpi) {
  const Recorded recorded = record_whole("errors_returned");
  ASSERT_THAT(recorded.signatures(0, "Alltoallv"), SizeIs(1));
  EXPECT_EQ(recorded.signatures(0, "Alltoallv")[0]->calls.to_string(), "1");  // call 0 failed
}

TEST_P(RecordedCollectives, TreatsLargeCountFormsAsSameOperation) {
  const Recorded recorded = record("large_counts");
  if (recorded.outcome.status == 77) GTEST_SKIP() << "this MPI has no large-count forms";
  const auto signatures = recorded.signatures(0, "Allgatherv");
  ASSERT_THAT(signatures, SizeIs(1));
  EXPECT_EQ(matrix(*signatures[0], signatures[0]->recv), uniform(5));
}

TEST_P(RecordedCollectives, RecordsSelectedOperationsAndCalls) {
  const Recorded recorded = record_whole("in_place", "operations=alltoallv+allgatherv");
  EXPECT_THAT(recorded.signatures(0, "Alltoall"), IsEmpty());
  EXPECT_THAT(recorded.signatures(0, "Alltoallw"), IsEmpty());
  EXPECT_THAT(recorded.signatures(0, "Alltoallv"), SizeIs(1));
  EXPECT_THAT(recorded.signatures(0, "Allgatherv"), SizeIs(1));
}

// The lead's second call is on a separate communicator, and is the first call of other ranks.
TEST_P(RecordedCollectives, AppliesCollectiveProfilerStartVariableToCallIdsOfLead) {
  const Outcome outcome = run({.mpi = GetParam(),
                               .program = GetParam().program("special_cases"),
                               .arguments = {"order_of_use"},
                               .options = "folder=" + folder_.path(),
                               .environment = {{"A2A_NUM_CALL_START_PROFILING", "1"}}});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string sent = file_content(folder_ / "send-counters.job0.rank0.txt");
  EXPECT_THAT(sent, HasSubstr("Ialltoallv calls 1-1\nCount: 1 calls - 1\n"));
  EXPECT_THAT(sent, HasSubstr("Rank(s) 0-3: 2 2 2 2 \n"));
  EXPECT_THAT(sent, Not(HasSubstr("1 1 1 1")));
}

TEST_P(RecordedCollectives, MeasuresTimesOnOneClock) {
  const Recorded recorded = record_whole("pause_and_resume", "times,late-arrival");
  const auto& times = recorded.lead(0).execution_s;
  ASSERT_THAT(times, SizeIs(1));
  EXPECT_THAT(times[0].calls, ElementsAre(0, 3, 4));
  ASSERT_THAT(times[0].values, SizeIs(3 * ranks));
  EXPECT_THAT(times[0].values, Each(::testing::AllOf(::testing::Gt(0.0), ::testing::Lt(60.0))));
  ASSERT_THAT(recorded.lead(0).late_arrival_s, SizeIs(1));
  ASSERT_TRUE(recorded.profile.clock_error_s);
  EXPECT_LT(*recorded.profile.clock_error_s, 60.0);
}

TEST_P(RecordedCollectives, RecordsBacktraceOfCaller) {
  const Recorded recorded = record_whole("pause_and_resume", "backtraces");
  ASSERT_THAT(recorded.lead(0).backtraces, Not(IsEmpty()));
  for (const auto& backtrace : recorded.lead(0).backtraces) {
    EXPECT_THAT(backtrace.frames, Each(Not(HasSubstr("libplimsoll"))));
    EXPECT_THAT(backtrace.frames.front(), HasSubstr("special_cases"));
  }
}

INSTANTIATE_TEST_SUITE_P(EachMpi, RecordedCollectives, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
