// Tests what is recorded of calls in which ranks differ, with programs/irregular_calls.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>

#include "alltoallv/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class IrregularCalls : public ::testing::TestWithParam<TestedMpi> {
 protected:
  MpiRun program(const std::string& name, const std::string& options, int ranks = 4) const {
    return {.mpi = GetParam(),
            .ranks = ranks,
            .program = GetParam().program("irregular_calls"),
            .arguments = {name},
            .options = options};
  }
};

TEST_P(IrregularCalls, HaveHostsOfRanksThatMakeNone) {
  const TemporaryFolder folder;
  const Outcome outcome = run(program("half_of_ranks", "counts,folder=" + folder.path()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(files_in(folder.path()), Each(Not(HasSubstr("locations"))));
  const collectives::Profile profile = collectives::read({folder.path()}).profile;
  const std::vector<std::string> hosts = collectives::rank_hosts(profile);
  EXPECT_THAT(hosts, AllOf(SizeIs(4), Each(Not(IsEmpty()))));
  const Outcome reordered = run_plimsoll({"collectives", "reorder", folder.path()});
  EXPECT_EQ(reordered.status, 0) << reordered.err;
  EXPECT_THAT(reordered.out, HasSubstr("as recorded"));
}

// Each call moves 8 x 4 + 3 x 4 bytes, 11 per rank: 32 / 11 - 1. The sums of all ranks are equal.
TEST_P(IrregularCalls, HaveImbalancePerCall) {
  const auto merged = merged_run(program("rotating", "counts"));
  const collectives::Summary summary = summarize(merged.profile);
  EXPECT_EQ(summary.sent.call_imbalance.calls, 4U);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.mean, 32.0 / 11 - 1);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.max, 32.0 / 11 - 1);
  EXPECT_EQ(balance_of(summary, &collectives::RankSummary::bytes_sent).imbalance(), 0);
}

/// Describes the calls that did not fail as "IDS: COUNT", and the failed calls.
std::string description(const collectives::MergeResult& merged) {
  std::string text;
  for (const auto& lead : merged.profile.leads)
    for (const auto& signature : lead.signatures)
      text += signature.calls.to_string() + ": " + std::to_string(signature.send.matrix.counts.at(0)) + "; ";
  for (const auto& failed : merged.profile.failed_calls)
    text += std::to_string(failed.calls) + " failed on " + failed.ranks.to_string();
  return text;
}

TEST_P(IrregularCalls, KeepTheirPlacesAfterFailuresOnOneRank) {
  const auto merged = merged_run(program("failed_on_one_rank", "counts,times"));
  EXPECT_THAT(merged.findings, IsEmpty());
  EXPECT_EQ(merged.profile.incomplete_calls, 0U);
  EXPECT_EQ(description(merged), "0: 1; 1: 2; 2: 3; 3 failed on 1");
  EXPECT_THAT(summarize(merged.profile).inconsistencies, IsEmpty());
}

TEST_P(IrregularCalls, HaveIdsThatCountFailuresOfLead) {
  const auto merged = merged_run(program("failed_on_all_ranks", "counts"));
  EXPECT_THAT(merged.findings, IsEmpty());
  EXPECT_EQ(description(merged), "1: 1; 3: 2; 5: 3; 3 failed on 0-3");
}

TEST_P(IrregularCalls, FailWithInvalidHandlesAndMissingCounts) {
  const auto merged = merged_run(program("failed_for_other_reasons", "counts"));
  EXPECT_THAT(merged.findings, IsEmpty());
  EXPECT_EQ(description(merged), "3: 2; 3 failed on 0-3");
}

// MPICH also reports the error on other ranks.
TEST_P(IrregularCalls, AreExcludedIfTheyFailOnAnyRank) {
  const auto merged = merged_run(program("truncated", "counts"));
  EXPECT_EQ(merged.profile.incomplete_calls, 0U);
  EXPECT_THAT(description(merged), ::testing::StartsWith("1: 2; 1 failed on "));
  EXPECT_TRUE(merged.profile.failed_calls.at(0).ranks.contains(1));
}

TEST_P(IrregularCalls, KeepTheirPlacesIfRankContradictsItself) {
  const auto merged = merged_run(program("truncated_by_itself", "counts"));
  EXPECT_THAT(merged.findings, IsEmpty());
  const bool refused = GetParam().name == "openmpi";
  EXPECT_THAT(description(merged),
              ::testing::StartsWith(refused ? "0: 8; 1: 2; 1 failed on 1" : "1: 2; 1 failed on "));
}

TEST_P(IrregularCalls, CountOnceOnInterCommunicators) {
  const auto merged = merged_run(program("inter_communicator", "counts,times,late-arrival"));
  EXPECT_THAT(merged.findings, IsEmpty());
  const collectives::Summary summary = summarize(merged.profile);
  EXPECT_EQ(summary.calls, 1U);
  EXPECT_EQ(summary.timed_calls, 1U);
  EXPECT_EQ(summary.arrival_calls, 0U);  // the other group's arrivals are unknown
  const collectives::Traffic traffic = collectives::traffic(merged.profile, {});
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      EXPECT_EQ(traffic.bytes(from, to), (from + to) % 2 == 1 ? from + 1 : 0) << from << " to " << to;
}

INSTANTIATE_TEST_SUITE_P(EachMpi, IrregularCalls, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
