#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/rounds/local_ranks.hpp"
#include "balance/rounds/simulated_rounds.hpp"
#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

/// Places each object on the rank that a function returns for its number.
class PlacingStrategy : public DistributedStrategy {
 public:
  explicit PlacingStrategy(std::function<std::int32_t(std::uint64_t number)> rank_of,
                           const ScoreTerms& terms = ScoreTerms::of_load(false))
      : DistributedStrategy("PlacingLB", Parameters("PlacingLB", {})),
        rank_of_(std::move(rank_of)),
        terms_(terms) {}
  ScoreTerms score_terms() const override { return terms_; }

 private:
  void place(RankRounds&, std::span<LocalRank> ranks) override {
    for (LocalRank& rank : ranks)
      for (LocalObject& object : rank.objects) object.new_rank = rank_of_(object.number);
  }

  std::function<std::int32_t(std::uint64_t)> rank_of_;
  ScoreTerms terms_;
};

std::vector<std::int32_t> placement_by(const std::vector<std::int32_t>& ranks, LDStats stats,
                                       const ScoreTerms& terms = ScoreTerms::of_load(false)) {
  PlacingStrategy strategy([&](std::uint64_t number) { return ranks[number]; }, terms);
  strategy.work(stats);
  return stats.to_proc;
}

TEST(DistributedStrategy, KeepsAllObjectsUnlessTheLastRankFinishesEarlier) {
  const LDStats stats = testing::stats_of(2, {4, 3, 3}, {0, 0, 1});
  EXPECT_THAT(placement_by({0, 1, 0}, stats), ElementsAre(0, 0, 1));  // a swap
  EXPECT_THAT(placement_by({1, 1, 0}, stats), ElementsAre(0, 0, 1));  // 3 and 7
  EXPECT_THAT(placement_by({0, 1, 1}, stats), ElementsAre(0, 1, 1));  // 4 and 6
}

TEST(DistributedStrategy, TakesBackWhatTheResultDoesNotNeed) {
  // Without the migrations of the loads 1 and 2, the maximum falls from 8 to 6, so that the load 3 stays
  // away.
  const LDStats stats = testing::stats_of(3, {6, 5, 1, 2, 3}, {0, 0, 1, 1, 2});
  EXPECT_THAT(placement_by({0, 2, 2, 0, 1}, stats), ElementsAre(0, 2, 1, 1, 1));
  // All three migrations are needed.
  const LDStats needed = testing::stats_of(3, {8, 4, 2, 5}, {0, 0, 0, 1});
  EXPECT_THAT(placement_by({0, 1, 1, 2}, needed), ElementsAre(0, 1, 1, 2));
}

TEST(DistributedStrategy, MovesObjectsAwayFromUnavailableRanks) {
  LDStats stats = testing::stats_of(2, {4, 3, 3}, {0, 0, 1});
  stats.procs[0].available = false;
  EXPECT_THAT(placement_by({1, 1, 1}, stats), ElementsAre(1, 1, 1));
  stats.procs[1].available = false;
  EXPECT_ERROR(placement_by({1, 1, 1}, stats), usage, "all 2 processors are unavailable");
}

/// Terms of communication with a price of migrations.
ScoreTerms terms_of_communication(double tolerance, double per_migration) {
  ScoreTerms terms = ScoreTerms::of_communication(tolerance);
  terms.per_migration = per_migration;
  return terms;
}

TEST(DistributedStrategy, KeepsMigrationsThatSaveMoreCommunicationThanTheyCost) {
  LDStats stats = testing::stats_of(2, {1, 1, 1, 1}, {0, 0, 1, 1});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(2), 10, 0},
                     {CommEnd::object(0), CommEnd::object(1), 4, 0}};
  // A migration costs 2 x 14 bytes / 4 objects = 7 bytes times per_migration; the first object saves 6.
  EXPECT_THAT(placement_by({1, 0, 1, 1}, stats, terms_of_communication(2, 0.8)), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(placement_by({1, 0, 1, 1}, stats, terms_of_communication(2, 0.9)), ElementsAre(0, 0, 1, 1));
  // Rank 1 would finish after the tolerance.
  EXPECT_THAT(placement_by({1, 0, 1, 1}, stats, terms_of_communication(1.4, 0)), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(placement_by({1, 1, 1, 1}, stats, terms_of_communication(1, 0)), ElementsAre(0, 0, 1, 1));
}

// Each of two objects that have changed places would like to return to the other one.
TEST(DistributedStrategy, TakesBackOneOfTwoNeighborsThatChangedPlaces) {
  LDStats stats = testing::stats_of(2, {1, 1, 2, 2}, {0, 1, 0, 1});
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(1), 10, 0}};
  EXPECT_THAT(placement_by({1, 0, 0, 1}, stats, terms_of_communication(2, 0.1)), ElementsAre(0, 0, 0, 1));
}

TEST(DistributedStrategy, LetsAnObjectReturnFromTheLastRank) {
  // Without the migration of the load 4, the last rank finishes at 5 instead of 9.
  LDStats stats = testing::stats_of(3, {8, 5, 4}, {0, 0, 1});
  stats.comm_data = {{CommEnd::object(1), CommEnd::object(2), 100, 0}};
  EXPECT_THAT(placement_by({0, 2, 2}, stats, terms_of_communication(1, 0)), ElementsAre(0, 2, 1));
}

TEST(DistributedStrategy, NeverIncreasesTheScoreOfRandomPlacements) {
  const ScoreTerms terms = terms_of_communication(1.05, 0.1);
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    LDStats stats = testing::everything(1 + seed % 40, 1 + seed % 9, seed);
    if (testing::must_evacuate(stats)) continue;
    Random random(seed);
    PlacingStrategy strategy(
        [&](std::uint64_t number) {
          const auto rank = static_cast<std::size_t>(random.next() % stats.procs.size());
          const bool moves = stats.procs[rank].available && random.uniform() < 0.3;
          return moves ? static_cast<std::int32_t>(rank) : stats.from_proc[number];
        },
        terms);
    strategy.work(stats);
    EXPECT_LE(score_of(terms, stats, stats.to_proc), score_of(terms, stats, stats.from_proc)) << seed;
    EXPECT_TRUE(testing::respects_fixed_objects_and_availability(stats));
  }
}

// A thread simulates 256 ranks or more.
TEST(DistributedStrategy, PlacesObjectsTheSameWithAnyNumberOfThreads) {
  constexpr std::uint32_t n_objects = 900;
  LDStats stats = testing::block_start(n_objects, 300, 7);
  stats.n_axes = 1;
  for (std::uint32_t object = 0; object < n_objects; ++object) {
    stats.positions.push_back(object);
    stats.comm_data.push_back({CommEnd::object(object), CommEnd::object((7 * object + 1) % n_objects), 1, 1});
  }
  for (const char* name : {"DiffusionLB", "DistributedOrbLB", "TemperedLB"}) {
    const auto placed_with = [&](unsigned threads) {
      const auto strategy = StrategyRegistry::builtin().create(name);
      std::vector<LocalRank> ranks = local_ranks_of(stats, strategy->needs());
      SimulatedRounds rounds(stats.count(), threads);
      distributed_part(*strategy)->work(rounds, ranks);
      std::vector<std::int32_t> placement(stats.obj_data.size());
      for (const LocalRank& rank : ranks)
        for (const LocalObject& object : rank.objects) placement[object.index] = object.new_rank;
      return placement;
    };
    const std::vector<std::int32_t> placement = placed_with(1);
    EXPECT_NE(placement, stats.from_proc) << name;
    for (const unsigned threads : {2U, 8U}) EXPECT_EQ(placed_with(threads), placement) << name;
  }
}

TEST(DistributedStrategy, RunsInRoundsUnlessItHasLimits) {
  const StrategyRegistry& registry = StrategyRegistry::builtin();
  for (const char* strategy : {"TemperedLB", "DiffusionLB", "DistributedOrbLB"})
    EXPECT_NE(distributed_part(*registry.create(strategy)), nullptr) << strategy;
  EXPECT_EQ(distributed_part(*registry.create("TemperedLB", {{"max_moves", "3"}})), nullptr);
  EXPECT_EQ(distributed_part(*registry.create("RefineLB")), nullptr);
}

TEST(LimitMigrations, MigratesTheHeaviestObjectsOfTheLatestRanks) {
  std::vector<LocalRank> ranks(3);
  ranks[0] = make_local_rank(0, {}, -1, {.migratable = {{5, 0}, {4, 1}, {3, 2}, {2, 3}}});
  ranks[1] = make_local_rank(1, {}, -1, {.migratable = {{4, 4}, {4, 5}}});
  for (std::size_t rank : {0, 1})
    for (LocalObject& object : ranks[rank].objects) object.new_rank = 2;
  const auto moved_with = [&](std::int64_t max_moves) {
    std::vector<LocalRank> limited = ranks;
    SimulatedRounds rounds(3);
    limit_migrations(rounds, ScoreTerms::of_load(false), max_moves, limited);
    std::vector<std::uint64_t> moved;
    for (const LocalRank& rank : limited)
      for (const LocalObject& object : rank.objects)
        if (object.new_rank == 2) moved.push_back(object.number);
    return moved;
  };
  EXPECT_THAT(moved_with(0), ElementsAre());
  EXPECT_THAT(moved_with(1), ElementsAre(0));        // rank 0 from 14 to 9
  EXPECT_THAT(moved_with(2), ElementsAre(0, 1));     // to 5, below 8 of rank 1
  EXPECT_THAT(moved_with(3), ElementsAre(0, 1, 4));  // rank 1 to 4
  EXPECT_EQ(moved_with(6).size(), 6u);
  EXPECT_EQ(moved_with(9).size(), 6u);
}

TEST(LimitMigrations, CountsObjectsWithoutLoad) {
  std::vector<LocalRank> ranks(2);
  ranks[0] = make_local_rank(0, {}, -1, {.migratable = {{5, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}});
  for (LocalObject& object : ranks[0].objects) object.new_rank = 1;
  SimulatedRounds rounds(2);
  limit_migrations(rounds, ScoreTerms::of_load(false), 2, ranks);
  EXPECT_EQ(ranks[0].objects[0].new_rank, 1);
  EXPECT_LE(std::ranges::count(ranks[0].objects, 1, &LocalObject::new_rank), 2);
}

// Rank 1 would receive the heaviest object of rank 0, but keep its own.
TEST(LimitMigrations, KeepsAllObjectsIfThePartWouldBeWorseThanTheStart) {
  std::vector<LocalRank> ranks(2);
  ranks[0] = make_local_rank(0, {}, -1, {.migratable = {{6, 0}, {4, 1}}});
  ranks[1] = make_local_rank(1, {}, -1, {.migratable = {{3, 2}, {5, 3}}});
  ranks[0].objects[0].new_rank = 1;
  ranks[1].objects[0].new_rank = 0;
  ranks[1].objects[1].new_rank = 0;
  SimulatedRounds rounds(2);
  limit_migrations(rounds, ScoreTerms::of_load(false), 1, ranks);
  EXPECT_EQ(ranks[0].objects[0].new_rank, 0);
  EXPECT_EQ(ranks[1].objects[1].new_rank, 1);
}

TEST(LimitMigrations, NeverIncreasesTheMaximumLoad) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const std::int32_t n_ranks = 2 + static_cast<std::int32_t>(seed % 5);
    std::vector<LocalRank> ranks;
    std::vector<double> before(static_cast<std::size_t>(n_ranks));
    std::vector<double> after(before.size());
    for (std::int32_t rank = 0; rank < n_ranks; ++rank) {
      UnorderedRank parts;
      for (std::uint64_t object = 0; object < 1 + random.next() % 5; ++object)
        parts.migratable.push_back({1 + 9 * random.uniform(), object});
      ranks.push_back(make_local_rank(rank, {}, -1, parts));
      before[static_cast<std::size_t>(rank)] = ranks.back().load();
      for (LocalObject& object : ranks.back().objects)
        object.new_rank = static_cast<std::int32_t>(random.next() % static_cast<std::uint64_t>(n_ranks));
    }
    SimulatedRounds rounds(n_ranks);
    const auto max_moves = static_cast<std::int64_t>(random.next() % 5);
    const auto n_moved = [&] {
      std::int64_t n = 0;
      for (std::int32_t rank = 0; rank < n_ranks; ++rank)
        for (const LocalObject& object : ranks[static_cast<std::size_t>(rank)].objects)
          n += object.new_rank != rank ? 1 : 0;
      return n;
    };
    const bool is_limited = n_moved() > max_moves;
    limit_migrations(rounds, ScoreTerms::of_load(false), max_moves, ranks);
    EXPECT_LE(n_moved(), std::max<std::int64_t>(max_moves, is_limited ? 0 : n_moved())) << "seed " << seed;
    for (const LocalRank& rank : ranks)
      for (const LocalObject& object : rank.objects)
        after[static_cast<std::size_t>(object.new_rank)] += object.load;
    if (is_limited) {
      EXPECT_LE(std::ranges::max(after), std::ranges::max(before) + 1e-9) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace plimsoll::balance
