#include <gmock/gmock.h>

#include <plimsoll/lbdata/phase_coverage.hpp>

namespace plimsoll::inline v0_1::lbdata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RankData rank_with(std::initializer_list<std::int64_t> phases) {
  RankData rank;
  for (const std::int64_t phase : phases) rank.phases.emplace_back().id = phase;
  return rank;
}

TEST(PhaseCoverage, DistinguishesCompleteFromPartialPhases) {
  Dataset dataset;
  dataset.ranks = {rank_with({0, 1, 4}), rank_with({0, 4})};
  const PhaseCoverage coverage = phase_coverage(dataset);
  EXPECT_THAT(coverage.complete, ElementsAre(0, 4));
  EXPECT_THAT(coverage.partial, ElementsAre(1));
}

TEST(PhaseCoverage, CountsIdenticalButNotSkippedPhases) {
  Dataset dataset;
  dataset.ranks = {rank_with({0, 1}), rank_with({0})};
  PhaseMetadata metadata;
  metadata.identical_to_previous.list = {1};
  metadata.skipped.list = {2};
  dataset.ranks[1].metadata.phases = metadata;
  const PhaseCoverage coverage = phase_coverage(dataset);
  EXPECT_THAT(coverage.complete, ElementsAre(0, 1));
  EXPECT_THAT(coverage.partial, IsEmpty());
}

TEST(PhaseCoverage, IsEmptyWithoutRanks) {
  EXPECT_THAT(phase_coverage(Dataset{}).complete, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::lbdata
