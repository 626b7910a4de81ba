#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "balance/partition/free_objects.hpp"
#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

Partition relabelled(const LDStats& stats, const Partition& parts) {
  const ProcArray procs(stats);
  const RankTargets targets = rank_targets(stats, procs, 1.005, 1);
  return relabel(stats, free_objects(stats, targets.heaviest), targets, parts);
}

std::int64_t n_stay(const LDStats& stats, const Partition& parts) {
  return std::inner_product(parts.begin(), parts.end(), stats.from_proc.begin(), std::int64_t{0},
                            std::plus<>(), std::equal_to<>());
}

TEST(Relabelling, ReturnsPermutationOfLabels) {
  const LDStats stats = testing::stats_of(3, {1, 1, 1, 1, 1, 1}, {0, 0, 1, 1, 2, 2});
  EXPECT_THAT(relabelled(stats, {1, 1, 2, 2, 0, 0}), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(Relabelling, MigratesAsFewObjectsAsBruteForce) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    LDStats stats = testing::stats_of(5, std::vector<double>(25, 1), {});
    for (int object = 0; object < 25; ++object)
      stats.from_proc.push_back(static_cast<std::int32_t>(random.next() % 5));
    // The parts have equal sizes, so that only their current objects distinguish the ranks.
    Partition parts(25);
    for (std::size_t object = 0; object < 25; ++object) parts[object] = static_cast<std::int32_t>(object % 5);
    std::vector<std::int32_t> labels(5);
    std::iota(labels.begin(), labels.end(), 0);
    std::int64_t most = 0;
    do {
      Partition other;
      for (const std::int32_t part : parts) other.push_back(labels[static_cast<std::size_t>(part)]);
      most = std::max(most, n_stay(stats, other));
    } while (std::ranges::next_permutation(labels).found);
    EXPECT_EQ(n_stay(stats, relabelled(stats, parts)), most) << "seed " << seed;
  }
}

TEST(Relabelling, MinimisesMigratedBytesIfSizesAreAvailable) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  stats.memory.assign(4, {});
  stats.memory[3].footprint_bytes = 1000;
  EXPECT_THAT(relabelled(stats, {0, 0, 1, 0}), ElementsAre(1, 1, 0, 1));
}

TEST(Relabelling, AssignsLargePartToFastRank) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 0, 0, 0});
  stats.procs[1].pe_speed = 3;
  EXPECT_THAT(relabelled(stats, {0, 0, 0, 1}), ElementsAre(1, 1, 1, 0));
}

TEST(Relabelling, ReturnsPermutationOfManyLabels) {
  constexpr std::int32_t n_ranks = 500;  // too many ranks for the exact assignment
  LDStats stats = testing::stats_of(n_ranks, std::vector<double>(2 * n_ranks, 1), {});
  Partition parts;
  for (std::int32_t object = 0; object < 2 * n_ranks; ++object) {
    stats.from_proc.push_back(object / 2);
    parts.push_back((object / 2 * 7 + 3) % n_ranks);
  }
  EXPECT_EQ(relabelled(stats, parts), stats.from_proc);
  // If no object can stay, each part still gets one rank.
  stats.from_proc.assign(2 * n_ranks, 0);
  Partition sizes(n_ranks, 0);
  for (const std::int32_t part : relabelled(stats, parts)) ++sizes[static_cast<std::size_t>(part)];
  EXPECT_THAT(sizes, ::testing::Each(2));
}

}  // namespace
}  // namespace plimsoll::balance
