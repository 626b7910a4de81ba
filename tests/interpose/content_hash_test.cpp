// Compares the hashes that the interposer records for programs/contents.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <plimsoll/collectives/comparison.hpp>
#include <plimsoll/collectives/files.hpp>

#include "common/shared_data.hpp"
#include "interpose/mpi_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::ContentComparison;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ContentHash : public ::testing::TestWithParam<TestedMpi> {
 protected:
  static constexpr std::uint64_t steps = 3;
  static constexpr std::uint64_t operations = 8;  // Alltoallv counts twice: on two communicators
  static constexpr std::uint64_t ranks = 3;

  /// Runs the program and writes its profile to a directory of this name.
  void record(const std::string& name, const std::vector<std::string>& arguments, int on_ranks = ranks,
              const std::string& contents = "content-hash") {
    const Outcome outcome = run({.mpi = GetParam(),
                                 .ranks = on_ranks,
                                 .program = GetParam().program("contents"),
                                 .arguments = arguments,
                                 .options = contents + ",quiet,folder=" + folder_ / name});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }

  collectives::Profile profile(const std::string& name) {
    collectives::ReadResult read = collectives::read({folder_ / name});
    EXPECT_THAT(read.findings, IsEmpty());
    return std::move(read.profile);
  }

  ContentComparison compare(const std::string& one, const std::string& other) {
    return compare_contents(profile(one), profile(other));
  }

  TemporaryFolder folder_;
};

TEST_P(ContentHash, IsEqualForEqualDataInAnyLayoutAndType) {
  record("plain", {"3", "plain"});
  record("again", {"3", "plain"});
  record("gaps", {"3", "gaps"});
  for (const char* other : {"again", "gaps"}) {
    const ContentComparison comparison = compare("plain", other);
    EXPECT_TRUE(comparison.equal()) << other;
    EXPECT_EQ(comparison.calls, steps * operations);
    EXPECT_EQ(comparison.sent, steps * operations * ranks);
    EXPECT_EQ(comparison.received, steps * operations * ranks);
  }
}

TEST_P(ContentHash, FindsCallAndRanksOfChangedByte) {
  record("before", {"3", "plain"});
  struct Change {
    std::string operation;
    std::string name;
    std::string received;
  };
  // Each run changes half of the operations, so that a change in another operation would be noticed.
  for (const std::vector<Change>& changes : {std::vector<Change>{{"Alltoall", "Alltoall", "2"},
                                                                 {"in place", "Alltoallv", "2"},
                                                                 {"Allgatherv", "Allgatherv", "0-2"},
                                                                 {"Ialltoallv", "Ialltoallv", "2"}},
                                             {{"Alltoallv", "Alltoallv", "2"},
                                              {"Alltoallw", "Alltoallw", "2"},
                                              {"Neighbor_alltoallv", "Neighbor_alltoallv", "2"},
                                              {"Alltoallv_init", "Alltoallv_init", "2"}}}) {
    std::vector<std::string> arguments = {"3", "gaps", "1"};
    for (const Change& change : changes) arguments.push_back(change.operation);
    const std::string after = changes[0].operation;
    record(after, arguments);
    const ContentComparison comparison = compare("before", after);
    EXPECT_EQ(comparison.differing_calls, changes.size());
    EXPECT_THAT(comparison.differences, SizeIs(changes.size()));
    EXPECT_THAT(comparison.unmatched, IsEmpty());
    for (const Change& change : changes) {
      const auto found = std::ranges::find(comparison.differences, change.name, [](const auto& difference) {
        return difference.operation.name();
      });
      ASSERT_NE(found, comparison.differences.end()) << change.operation;
      // The Alltoallv calls of a step are numbered one after the other, on two communicators.
      const bool is_alltoallv = change.name == "Alltoallv";
      const bool in_place = change.operation == "in place";
      EXPECT_EQ(found->call, is_alltoallv ? (in_place ? 3U : 2U) : 1U) << change.operation;
      EXPECT_EQ(found->communicator == 0, !in_place && change.name != "Neighbor_alltoallv");
      EXPECT_EQ(found->sent.to_string(), "1") << change.operation;
      EXPECT_EQ(found->received.to_string(), change.received) << change.operation;
    }
  }
}

TEST_P(ContentHash, ReadsExactlyTheBytesOfTypes) {
  record("run", {"inaccessible", "plain"});
  const collectives::Profile recorded = profile("run");
  ASSERT_THAT(recorded.leads, SizeIs(1));
  ASSERT_THAT(recorded.leads[0].hashes, SizeIs(1));
  const auto& values = recorded.leads[0].hashes[0].values;
  ASSERT_THAT(values, SizeIs(4 * ranks));
  for (const collectives::DataHashes& hashes : values) EXPECT_EQ(hashes, values[0]);
  EXPECT_NE(values[0].sent, 0U);
  EXPECT_EQ(values[0].sent, values[0].received) << "each rank sends the same bytes to each rank";
}

TEST_P(ContentHash, ReportsRanksAndCallsOfOneRunOnly) {
  record("three", {"3", "plain"});
  record("five", {"5", "plain"});
  record("two_ranks", {"3", "plain"}, 2);
  const ContentComparison longer = compare("three", "five");
  EXPECT_THAT(longer.differences, IsEmpty());
  ASSERT_THAT(longer.unmatched, SizeIs(operations));
  EXPECT_EQ(longer.unmatched[0].runs.before.calls.to_string(), "");
  EXPECT_EQ(longer.unmatched[0].runs.after.calls.to_string(), "3-4");

  const ContentComparison smaller = compare("three", "two_ranks");
  EXPECT_EQ(smaller.calls, 0);
  ASSERT_THAT(smaller.unmatched, SizeIs(operations));
  EXPECT_EQ(smaller.unmatched[0].runs.before.comm_size, 3U);
  EXPECT_EQ(smaller.unmatched[0].runs.after.comm_size, 2U);
}

TEST_P(ContentHash, IsComparedByCommand) {
  record("run1", {"3", "plain"}, ranks, "counts,content-hash,backtraces");
  record("run2", {"3", "plain", "2", "Alltoallw"}, ranks, "counts,content-hash,backtraces");
  const Outcome text = run_plimsoll({"collectives", "compare", folder_ / "run1", folder_ / "run2"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Verdict: same counts."));
  EXPECT_THAT(text.out, HasSubstr("The data differ first in call 2 of Alltoallw on communicator 0 of lead "
                                  "rank 0:\n  rank 1 sent other data\n  rank 2 received other data\n"
                                  "  called from "));
  EXPECT_THAT(text.out, HasSubstr("contents"));  // the program of the frame
  const Outcome same = run_plimsoll({"collectives", "compare", folder_ / "run1", folder_ / "run1", "--json"});
  EXPECT_THAT(same.out, HasSubstr("\"data\":{\"equal\":true,\"calls\":24,\"differing_calls\":0"));
}

INSTANTIATE_TEST_SUITE_P(EachMpi, ContentHash, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
