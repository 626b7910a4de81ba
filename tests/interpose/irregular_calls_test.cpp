// Tests what is recorded of calls in which ranks differ, with programs/irregular_calls.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/summary.hpp>
#include <plimsoll/collectives/traffic.hpp>

#include "interpose/merged_run.hpp"

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

// In each call, one rank sends 4 x 8 bytes and the others 4 x 1: 32 / 11 - 1. The sums of all ranks are
// equal.
TEST_P(IrregularCalls, HaveImbalancePerCall) {
  const TemporaryFolder folder;
  const Outcome outcome = run(program("rotating", "counts,folder=" + folder.path()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const collectives::Summary summary = summarize(collectives::read({folder.path()}).profile);
  EXPECT_EQ(summary.sent.call_imbalance.calls, 4U);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.mean, 32.0 / 11 - 1);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.max, 32.0 / 11 - 1);
  EXPECT_EQ(balance_of(summary, &collectives::RankSummary::bytes_sent).imbalance(), 0);
  EXPECT_EQ(summary.received.call_imbalance.max, 0);  // each rank receives 8 + 3 bytes
  const Outcome printed = run_plimsoll({"collectives", "summary", folder.path()});
  EXPECT_THAT(printed.out, HasSubstr("Bytes sent: imbalance 0.0000"));
  EXPECT_THAT(printed.out,
              HasSubstr("Bytes sent per call: mean imbalance 1.9091, maximum 1.9091 in call 0:0"));
}

// The number of ranks is not small compared to the number of partners, as it is for a class by counts alone.
TEST_P(IrregularCalls, OfRingAreHaloExchangesWithTwoPartners) {
  const TemporaryFolder folder;
  const Outcome outcome = run(program("ring", "counts,folder=" + folder.path(), 6));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const collectives::Profile profile = collectives::read({folder.path()}).profile;
  ASSERT_THAT(profile.leads, SizeIs(1));
  ASSERT_THAT(profile.leads[0].signatures, SizeIs(1));
  const collectives::Structure structure = structure_of(profile.leads[0].signatures[0]);
  EXPECT_EQ(structure.kind, collectives::StructureClass::halo);
  EXPECT_EQ(structure.senders, 6U);
  EXPECT_EQ(structure.receivers, 6U);
  EXPECT_EQ(structure.sends_to, (collectives::Degree{2, 2}));
  EXPECT_EQ(structure.receives_from, (collectives::Degree{2, 2}));
  EXPECT_TRUE(structure.symmetric);
  const collectives::Traffic traffic = collectives::traffic(profile);
  for (std::uint32_t from = 0; from < 6; ++from)
    for (std::uint32_t to = 0; to < 6; ++to)
      EXPECT_EQ(traffic.bytes(from, to), to == (from + 1) % 6 ? 3 * 8 : to == (from + 5) % 6 ? 3 * 16 : 0);
  const Outcome patterns = run_plimsoll({"collectives", "patterns", folder.path()});
  EXPECT_THAT(patterns.out, ::testing::StartsWith("3 calls: 100.0 % halo (100.0 % of bytes).\n"));
  const Outcome summary = run_plimsoll({"collectives", "summary", folder.path()});
  EXPECT_THAT(summary.out, HasSubstr("100.0 % of calls are halo exchanges with 2 partners per rank"));
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
  const collectives::Traffic traffic = collectives::traffic(merged.profile);
  EXPECT_EQ(traffic.calls, 1U);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      EXPECT_EQ(traffic.bytes(from, to), (from + to) % 2 == 1 ? from + 1 : 0) << from << " to " << to;
}

// In each of two calls, rank 0 sends 3 x 5 bytes, and the other ranks 2 bytes each: 15 / (21 / 4) - 1.
TEST_P(IrregularCalls, CountPeersInRemoteGroupOfAnotherSize) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(program("groups_of_different_sizes", "counts,late-arrival,folder=" + folder.path()));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const collectives::Profile profile = collectives::read({folder.path()}).profile;
  const collectives::Summary summary = summarize(profile);
  EXPECT_EQ(summary.calls, 2U);
  EXPECT_EQ(summary.sent.bytes(), 2U * 21);
  EXPECT_EQ(summary.received.bytes(), 2U * 21);
  EXPECT_EQ(summary.sent.messages(), 2U * 6);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.mean, 15 / (21.0 / 4) - 1);
  EXPECT_DOUBLE_EQ(summary.sent.call_imbalance.max, 15 / (21.0 / 4) - 1);
  EXPECT_EQ(summary.ranks.at(0).bytes_sent, 30U);
  EXPECT_EQ(summary.ranks.at(3).bytes_sent, 4U);
  EXPECT_EQ(summary.ranks.at(3).bytes_received, 10U);
  for (const auto& lead : find_patterns(profile)) {
    ASSERT_THAT(lead.patterns, SizeIs(1));
    EXPECT_EQ(lead.patterns[0].bytes, 21U) << lead.operation.name();
    const collectives::Structure structure = lead.patterns[0].structures.begin()->first;
    EXPECT_EQ(structure.senders, 4U) << lead.operation.name();
    EXPECT_EQ(structure.sends_to, (collectives::Degree{1, 3})) << lead.operation.name();
  }
  EXPECT_THAT(run_plimsoll({"collectives", "summary", folder.path()}).out,
              HasSubstr("unknown, because ranks of inter-communicators wait for those of the other group"));
  const collectives::Traffic traffic = collectives::traffic(profile);
  EXPECT_EQ(traffic.calls, 2U);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to)
      EXPECT_EQ(traffic.bytes(from, to), from == 0 && to > 0   ? 10
                                         : from > 0 && to == 0 ? 4
                                                               : 0)
          << from << " to " << to;
}

INSTANTIATE_TEST_SUITE_P(EachMpi, IrregularCalls, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
