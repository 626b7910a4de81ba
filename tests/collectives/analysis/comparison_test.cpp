#include <gtest/gtest.h>

#include <plimsoll/collectives/comparison.hpp>

#include "collectives/mpi_calls/example_calls.hpp"
#include "collectives/profiles.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

Profile with_calls(const char* ones, const char* twos) {
  return world_profile({sending(uniform(2, 1), ones), sending(uniform(2, 2), twos)});
}

TEST(CollectivesComparison, ComputesVerdictOnCounts) {
  const Profile start = with_calls("0-2", "3");
  const auto verdict = [&](const Profile& other) { return compare(start, other).verdict; };
  EXPECT_EQ(verdict(start), CountsVerdict::same);
  EXPECT_EQ(verdict(with_calls("1-3", "0")), CountsVerdict::reordered);
  EXPECT_EQ(verdict(with_calls("0-2", "3-4")), CountsVerdict::other_calls);
  EXPECT_EQ(verdict(world_profile({sending(uniform(2, 1), "0-2")})), CountsVerdict::different);
  Profile other_job = start;
  other_job.leads[0].job = 99;
  EXPECT_EQ(verdict(other_job), CountsVerdict::same);
}

TEST(CollectivesComparison, ReportsCountSetsFoundInOnlyOneProfile) {
  const Comparison comparison = compare(world_profile({sending(uniform(2, 1), "0-1")}),
                                        world_profile({sending({{1, 0}, {0, 0}}, "4-6", 8)}));
  ASSERT_EQ(comparison.signatures.size(), 2u);
  EXPECT_EQ(comparison.signatures[0].calls.before, 2u);
  EXPECT_EQ(comparison.signatures[0].calls.after, 0u);
  EXPECT_EQ(comparison.signatures[1].calls.before, 0u);
  EXPECT_EQ(comparison.signatures[1].calls.after, 3u);
  EXPECT_EQ(comparison.signatures[1].first_call.after, 4u);
  EXPECT_EQ(comparison.signatures[1].bytes, 8u);
  EXPECT_EQ(comparison.summary.before.sent.bytes(), 8u);
  EXPECT_EQ(comparison.summary.after.sent.bytes(), 24u);
  ASSERT_EQ(comparison.patterns.size(), 2u);
}

TEST(CollectivesComparison, FindsSamePatternForDifferentCounts) {
  const Comparison comparison =
      compare(world_profile({sending(uniform(2, 1), "0")}), world_profile({sending(uniform(2, 5), "0")}));
  EXPECT_EQ(comparison.verdict, CountsVerdict::different);
  ASSERT_EQ(comparison.patterns.size(), 1u);
  EXPECT_EQ(comparison.patterns[0].bytes.before, 4u);
  EXPECT_EQ(comparison.patterns[0].bytes.after, 20u);
}

}  // namespace

namespace {

TEST(MpiComparison, ListsFunctionsWithLargestDifferenceFirst) {
  MpiCalls after = example_calls();
  after.functions[0].name = "MPI_Reduce";
  after.functions[2].time_s = {0.5, 0, 0, 0.5};
  const MpiComparison comparison = compare(example_calls(), after);
  EXPECT_EQ(comparison.summary.before.mpi_s, 21);
  ASSERT_EQ(comparison.functions.size(), 4u);
  EXPECT_EQ(comparison.functions[0].name, "MPI_Allreduce");
  EXPECT_EQ(comparison.functions[0].calls.before, 8u);
  EXPECT_EQ(comparison.functions[0].calls.after, 0u);
  EXPECT_EQ(comparison.functions[0].time_s.before, 16);
  EXPECT_EQ(comparison.functions[1].name, "MPI_Reduce");
  EXPECT_EQ(comparison.functions[2].name, "MPI_Waitall");
  EXPECT_EQ(comparison.functions[2].time_s.after, 1);
  EXPECT_EQ(comparison.functions[3].name, "MPI_Send");
}

}  // namespace
}  // namespace plimsoll::collectives
