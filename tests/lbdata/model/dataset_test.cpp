#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include <plimsoll/lbdata/dataset.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
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

TEST(PhaseCoverage, IncludesIdenticalButNotSkippedPhases) {
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

/// Returns a rank with phase 0 and these ranges of phases identical to it.
RankData rank_with_identical(std::vector<std::vector<std::int64_t>> ranges) {
  RankData rank = rank_with({0});
  rank.metadata.phases.emplace().identical_to_previous.range = std::move(ranges);
  return rank;
}

TEST(PhaseCoverage, AgreesWithResolvedPhases) {
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  Dataset dataset;
  dataset.ranks = {rank_with_identical({{5, 7}, {1, 3}, {2, 9}, {12, 12}}),
                   rank_with({0, 2, 3, 8, 10, last})};
  dataset.ranks[0].metadata.phases->skipped = {.list = {6}, .range = {{8, 8}, {last - 1, last}}};
  dataset.ranks[0].metadata.phases->identical_to_previous.list = {10, last};
  dataset.ranks[1].metadata.phases.emplace().identical_to_previous.range = {{1, 9}, {-3, -1}};
  std::vector<std::int64_t> complete;
  std::vector<std::int64_t> partial;
  for (const std::int64_t phase : dataset.phase_ids()) {
    const auto with_data = std::ranges::count_if(
        dataset.ranks, [&](const RankData& rank) { return rank.resolve(phase).record != nullptr; });
    if (with_data > 0) (with_data == 2 ? complete : partial).push_back(phase);
  }
  const PhaseCoverage coverage = phase_coverage(dataset);
  EXPECT_EQ(coverage.complete, complete);
  EXPECT_EQ(coverage.partial, partial);
  ASSERT_EQ(coverage.first_alike.size(), complete.size());
  for (std::size_t k = 0; k < complete.size(); ++k)
    for (const RankData& rank : dataset.ranks)
      EXPECT_EQ(rank.resolve(complete[k]).record, rank.resolve(coverage.first_alike[k]).record)
          << complete[k];
}

TEST(PhaseCoverage, LimitsTotalNumberOfPhases) {
  Dataset dataset;
  dataset.ranks = {rank_with_identical({{1, 600'000}}), rank_with_identical({{600'001, 1'200'000}})};
  EXPECT_ERROR(phase_coverage(dataset), bad_input, "more than a million phases");
  EXPECT_ERROR(dataset.phase_ids(), bad_input, "more than a million phases");
  dataset.ranks.pop_back();
  EXPECT_EQ(phase_coverage(dataset).complete.size(), 600'001U);
}

TEST(PhaseCoverage, IsEmptyWithoutRanks) {
  EXPECT_THAT(phase_coverage(Dataset{}).complete, IsEmpty());
}

}  // namespace

namespace {

TEST(PhaseNumbers, JoinsConsecutivePhasesIntoRanges) {
  PhaseNumbers numbers;
  for (const std::int64_t phase : {1, 3, 4, 5, 9}) numbers.append(phase);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {1, 9}, .range = {{3, 5}}}));
}

TEST(PhaseNumbers, SplitsRangeAtRemovedPhase) {
  PhaseNumbers numbers{.list = {1}, .range = {{3, 7}, {20}}};
  numbers.remove(5);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {1}, .range = {{3, 4}, {6, 7}, {20}}}));
  numbers.remove(1);
  numbers.remove(3);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {}, .range = {{4, 4}, {6, 7}, {20}}}));
}

TEST(PhaseNumbers, BehavesLikeSetOfNumbers) {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    PhaseNumbers numbers;
    std::set<std::int64_t> expected;
    for (std::int64_t phase = 0; phase < 60; ++phase) {
      if (random() % 3 == 0) continue;
      numbers.append(phase);
      expected.insert(phase);
    }
    for (int k = 0; k < 20; ++k) {
      const std::int64_t phase = random() % 60;
      numbers.remove(phase);
      expected.erase(phase);
    }
    for (std::int64_t phase = -1; phase <= 60; ++phase) {
      EXPECT_EQ(numbers.contains(phase), expected.contains(phase));
      const auto after = expected.upper_bound(phase);
      EXPECT_EQ(numbers.next_after(phase), after == expected.end() ? std::nullopt : std::optional(*after));
    }
  }
}

}  // namespace
}  // namespace plimsoll::lbdata
