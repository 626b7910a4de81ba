// Tests the time that ranks wait for each other, with programs/waits.cpp. The last rank is late by 0.2 s, or
// by 0.6 s where other ranks must not wait for it. All bounds leave 0.1 s or more for a busy machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/summary.hpp>

#include "interpose/merged_run.hpp"

namespace plimsoll::testing {
namespace {

using collectives::Lead;
using collectives::RankValues;
using ::testing::Each;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

class Waits : public ::testing::TestWithParam<TestedMpi> {
 protected:
  /// Returns what the only lead recorded in a case. No rank may wait for longer than it was in its calls.
  Lead record(const std::string& name, int ranks = 2) {
    auto merged = merged_run({.mpi = GetParam(),
                              .ranks = ranks,
                              .program = GetParam().program("waits"),
                              .arguments = {name},
                              .options = "times,late-arrival"});
    EXPECT_THAT(merged.findings, IsEmpty());
    if (merged.profile.leads.size() != 1) {
      ADD_FAILURE() << merged.profile.leads.size() << " leads";
      return {};
    }
    const Lead& lead = merged.profile.leads[0];
    EXPECT_EQ(lead.late_arrival_s.size(), lead.execution_s.size());
    for (std::size_t k = 0; k < lead.late_arrival_s.size(); ++k) {
      const RankValues& waits = lead.late_arrival_s[k];
      const RankValues& times = lead.execution_s[k];
      EXPECT_EQ(waits.calls, times.calls);
      for (std::size_t value = 0; value < waits.values.size(); ++value)
        EXPECT_LE(waits.values[value], times.values[value]);
    }
    return lead;
  }

  /// Returns the time that a rank waited in each call.
  static std::vector<double> waits_of(std::size_t rank, const RankValues& values) {
    std::vector<double> of_rank;
    for (std::size_t k = rank; k < values.values.size(); k += values.comm_size)
      of_rank.push_back(values.values[k]);
    return of_rank;
  }
};

TEST_P(Waits, ExcludeComputationBetweenStartAndCompletion) {
  const Lead lead = record("compute_until_all_have_entered");
  ASSERT_THAT(lead.late_arrival_s, SizeIs(1));
  EXPECT_THAT(lead.late_arrival_s[0].values, Each(Lt(0.3)));
}

TEST_P(Waits, IncludeTimeInEveryFunctionThatCompletesRequests) {
  const Lead lead = record("wait_in_every_function");
  ASSERT_THAT(lead.late_arrival_s, SizeIs(1));
  const std::vector<double> waits = waits_of(0, lead.late_arrival_s[0]);
  ASSERT_THAT(waits, SizeIs(9));
  for (std::size_t k = 0; k < 4; ++k) EXPECT_GT(waits[k], 0.1) << k;
  for (std::size_t k = 4; k < 9; ++k) EXPECT_GT(waits[k], 0.01) << k;  // the loop also takes time
  EXPECT_THAT(waits_of(1, lead.late_arrival_s[0]), Each(0.0));
}

TEST_P(Waits, IncludeCompletionOfEachStartOfPersistentCollective) {
  const Lead lead = record("wait_for_persistent");
  ASSERT_THAT(lead.late_arrival_s, SizeIs(1));
  const std::vector<double> waits = waits_of(0, lead.late_arrival_s[0]);
  EXPECT_THAT(waits, SizeIs(2));
  EXPECT_THAT(waits, Each(Gt(0.1)));
}

TEST_P(Waits, AreSharedByCollectivesCompletedAtOnce) {
  const Lead lead = record("wait_for_two_at_once");
  ASSERT_THAT(lead.execution_s, SizeIs(1));
  const std::vector<double> waits = waits_of(0, lead.late_arrival_s[0]);
  ASSERT_THAT(waits, SizeIs(2));
  EXPECT_NEAR(waits[0], waits[1], 0.05);
  EXPECT_GT(waits[0] + waits[1], 0.1);
}

TEST_P(Waits, AreForNeighboursOnly) {
  const Lead lead = record("ring", 6);
  ASSERT_THAT(lead.late_arrival_s, SizeIs(2));  // Neighbor_alltoallv and Ineighbor_alltoallv
  for (const RankValues& values : lead.late_arrival_s) {
    ASSERT_THAT(values.values, SizeIs(6));
    for (const std::size_t neighbor : {0, 4}) EXPECT_GT(values.values[neighbor], 0.3) << neighbor;
    for (const std::size_t other : {1, 2, 3, 5}) EXPECT_LT(values.values[other], 0.3) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(EachMpi, Waits, ::testing::ValuesIn(tested_mpis()), name_of_mpi);

}  // namespace
}  // namespace plimsoll::testing
