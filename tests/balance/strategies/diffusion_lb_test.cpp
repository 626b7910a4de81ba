#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/mesh_factory.hpp"
#include "balance/rounds/rank_random.hpp"
#include "balance/rounds/simulated_rounds.hpp"
#include "balance/stats_factory.hpp"
#include "balance/strategies/diffusion_lb/departures.hpp"
#include "balance/strategies/diffusion_lb/diffusion.hpp"
#include "balance/strategies/diffusion_lb/load_flow.hpp"
#include "balance/strategies/diffusion_lb/local_objects.hpp"
#include "balance/strategies/diffusion_lb/rank_links.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Links = std::vector<std::vector<RankLink>>;

std::vector<double> flows_of(const std::vector<RankLink>& links) {
  std::vector<double> flows;
  for (const RankLink& link : links) flows.push_back(link.flow);
  return flows;
}

Links with_flows(Links links, const std::vector<double>& excesses) {
  SimulatedRounds rounds(static_cast<std::int32_t>(links.size()));
  set_flows(rounds, excesses, links);
  return links;
}

// In a triangle, two thirds take the direct way, and one third the way that is twice as long.
TEST(LoadFlows, TakeTheWaysOfLeastResistance) {
  const Links links = with_flows({{{1, 1}, {2, 1}}, {{0, 1}, {2, 1}}, {{0, 1}, {1, 1}}}, {1, 0, -1});
  EXPECT_THAT(flows_of(links[0]), ElementsAre(DoubleNear(1 / 3.0, 2e-3), DoubleNear(2 / 3.0, 2e-3)));
  EXPECT_THAT(flows_of(links[1]), ElementsAre(DoubleNear(-1 / 3.0, 2e-3), DoubleNear(1 / 3.0, 2e-3)));
}

TEST(LoadFlows, PreferLinksWithMoreWeight) {
  const Links links = with_flows({{{1, 3}, {2, 1}}, {{0, 3}, {2, 3}}, {{0, 1}, {1, 3}}}, {1, 0, -1});
  EXPECT_THAT(flows_of(links[0]), ElementsAre(DoubleNear(0.6, 2e-3), DoubleNear(0.4, 2e-3)));
}

TEST(LoadFlows, RemoveAllExcessesOfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RankRandom random(seed, 0, 0);
    const std::int32_t n_ranks = 2 + random.below(60);
    Links links(static_cast<std::size_t>(n_ranks));
    const auto connect = [&](std::int32_t one, std::int32_t other) {
      const double weight = 0.05 + random.uniform();
      links[static_cast<std::size_t>(one)].push_back({other, weight});
      links[static_cast<std::size_t>(other)].push_back({one, weight});
    };
    for (std::int32_t rank = 1; rank < n_ranks; ++rank) connect(random.below(rank), rank);
    for (std::vector<RankLink>& of_rank : links) std::ranges::sort(of_rank, {}, &RankLink::rank);
    std::vector<double> excesses;
    for (std::int32_t rank = 0; rank < n_ranks; ++rank) excesses.push_back(random.uniform());
    const double mean = std::accumulate(excesses.begin(), excesses.end(), 0.0) / n_ranks;
    for (double& excess : excesses) excess -= mean;
    links = with_flows(links, excesses);
    for (std::size_t rank = 0; rank < links.size(); ++rank) {
      const std::vector<double> flows = flows_of(links[rank]);
      ASSERT_NEAR(std::accumulate(flows.begin(), flows.end(), 0.0), excesses[rank], 5e-3) << "seed " << seed;
    }
  }
}

/// Ranks with one object each. Ranks `pairs` communicate.
std::vector<DiffusionRank> ranks_that_communicate(
    std::int32_t n_ranks, const std::map<std::pair<std::int32_t, std::int32_t>, double>& pairs) {
  std::vector<DiffusionRank> ranks(static_cast<std::size_t>(n_ranks));
  for (std::int32_t rank = 0; rank < n_ranks; ++rank)
    ranks[static_cast<std::size_t>(rank)].objects.push_back(
        {static_cast<std::uint64_t>(rank), 1, {rank, 0}, rank, {}});
  for (const auto& [pair, bytes] : pairs) {
    const auto [one, other] = pair;
    const auto add = [&](std::int32_t from, std::int32_t to) {
      ranks[static_cast<std::size_t>(from)].objects[0].edges.push_back(
          {static_cast<std::uint64_t>(to), bytes, to});
    };
    add(one, other);
    add(other, one);
  }
  return ranks;
}

std::vector<std::int32_t> linked_ranks(const std::vector<RankLink>& links) {
  std::vector<std::int32_t> ranks;
  for (const RankLink& link : links) ranks.push_back(link.rank);
  return ranks;
}

// Rank 0 communicates with all others, but most with 1 and 3; rank 2 proposes a link in vain.
TEST(RankLinks, ExistIfEachRankIsAmongTheFirstNeighborsOfTheOther) {
  SimulatedRounds rounds(6);
  const Links links = link_ranks(
      rounds, 2, ranks_that_communicate(6, {{{0, 1}, 40}, {{0, 3}, 80}, {{0, 2}, 10}, {{0, 4}, 20}}));
  EXPECT_THAT(linked_ranks(links[0]), ElementsAre(1, 3, 5));
  EXPECT_THAT(linked_ranks(links[2]), ElementsAre(1, 3));
  EXPECT_DOUBLE_EQ(links[0][0].weight / links[0][1].weight, 0.5);
  EXPECT_LT(links[0][2].weight, 0.01 * links[0][1].weight);
}

TEST(RankLinks, ConnectRanksWithoutCommunicationAtDistancesOfPowersOfTwo) {
  SimulatedRounds rounds(16);
  const Links links = link_ranks(rounds, 4, ranks_that_communicate(16, {}));
  EXPECT_THAT(linked_ranks(links[0]), ElementsAre(1, 2, 4, 8, 12, 14, 15));
}

TEST(RankLinks, AreEqualOnBothRanks) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> pairs;
  RankRandom random(3, 0, 0);
  for (int pair = 0; pair < 200; ++pair) {
    const std::int32_t one = random.below(40);
    if (const std::int32_t other = random.below(40); one < other) pairs[{one, other}] = random.uniform();
  }
  SimulatedRounds rounds(40);
  const Links links = link_ranks(rounds, 3, ranks_that_communicate(40, pairs));
  for (std::int32_t rank = 0; rank < 40; ++rank) {
    for (const RankLink& link : links[static_cast<std::size_t>(rank)]) {
      const std::vector<RankLink>& back = links[static_cast<std::size_t>(link.rank)];
      const auto same = std::ranges::find(back, rank, &RankLink::rank);
      ASSERT_NE(same, back.end());
      ASSERT_EQ(same->weight, link.weight);
    }
  }
}

/// Moves all objects to random ranks, several times.
TEST(LocalObjectsOfRanks, KnowWhereTheirNeighborsAre) {
  constexpr std::int32_t n_ranks = 5;
  constexpr std::int32_t n_objects = 60;
  std::vector<DiffusionRank> ranks(n_ranks);
  RankRandom random(7, 0, 0);
  std::vector<std::map<std::uint64_t, double>> neighbors(n_objects);
  for (int edge = 0; edge < 150; ++edge) {
    const auto one = static_cast<std::size_t>(random.below(n_objects));
    const auto other = static_cast<std::size_t>(random.below(n_objects));
    if (one == other) continue;
    neighbors[one][other] = 1;
    neighbors[other][one] = 1;
  }
  for (std::uint32_t object = 0; object < n_objects; ++object) {
    std::vector<DiffusionEdge> edges;
    for (const auto& [neighbor, bytes] : neighbors[object])
      edges.push_back({neighbor, bytes, static_cast<std::int32_t>(neighbor % n_ranks)});
    ranks[object % n_ranks].objects.push_back(
        {object, 1, {static_cast<std::int32_t>(object % n_ranks), 0}, 0, edges});
  }
  std::vector<LocalObjects> local;
  for (std::int32_t rank = 0; rank < n_ranks; ++rank)
    local.emplace_back(rank, ranks[static_cast<std::size_t>(rank)].objects);
  SimulatedRounds rounds(n_ranks);
  for (int transfer = 0; transfer < 20; ++transfer) {
    const auto of = [&](std::int32_t rank) -> LocalObjects& { return local[static_cast<std::size_t>(rank)]; };
    rounds.run([&](std::int32_t rank, Inbox, Outbox& outbox) {
      RankRandom of_rank(8, rank, static_cast<std::uint64_t>(transfer));
      std::vector<std::int32_t> to(of(rank).objects().size());
      for (std::int32_t& each : to) each = of_rank.below(n_ranks);
      of(rank).send(to, outbox);
    });
    rounds.run([&](std::int32_t rank, Inbox inbox, Outbox& outbox) { of(rank).welcome(inbox, outbox); });
    rounds.run([&](std::int32_t rank, Inbox inbox, Outbox& outbox) { of(rank).forward(inbox, outbox); });
    rounds.run([&](std::int32_t rank, Inbox inbox, Outbox&) { of(rank).learn(inbox); });
    std::map<std::uint64_t, std::int32_t> rank_of;
    for (const LocalObjects& each : local)
      for (const DiffusionObject& object : each.objects()) rank_of.emplace(object.number, each.self());
    ASSERT_THAT(rank_of, SizeIs(n_objects));
    for (const LocalObjects& each : local)
      for (const DiffusionObject& object : each.objects())
        for (const DiffusionEdge& edge : object.edges)
          ASSERT_EQ(edge.rank, rank_of.at(edge.neighbor)) << "transfer " << transfer;
  }
}

double relative_max(const LDStats& stats) {
  return relative_max_load(stats, stats.to_proc);
}

/// 64,000 objects on 64 ranks, whose loads grow along one axis: the initial max/avg is 1.7.
LDStats growing_cube() {
  return testing::cube_start(40, 4, [](double x, double, double) { return x + 1.93; });
}

TEST(DiffusionLB, IsAsGoodAsTheLocalSearchOnARamp) {
  LDStats stats = growing_cube();
  testing::balance_with("CommAwareRefineLB", stats);
  const double bytes = rank_traffic(stats, stats.to_proc).off_rank_bytes();
  const auto moved = static_cast<double>(assess(stats, stats.to_proc).n_moved);
  testing::balance_with("DiffusionLB", stats);
  EXPECT_LE(relative_max(stats), 1.05 + 1e-9);
  EXPECT_LE(rank_traffic(stats, stats.to_proc).off_rank_bytes(), 1.1 * bytes);
  EXPECT_LE(static_cast<double>(assess(stats, stats.to_proc).n_moved), 1.1 * moved);
}

TEST(DiffusionLB, BalancesRanksThatDoNotCommunicate) {
  LDStats stats;
  stats.procs.resize(100);
  for (std::uint32_t object = 0; object < 4000; ++object) {
    stats.obj_data.push_back({1, true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object % 10));
  }
  testing::balance_with("DiffusionLB", stats);
  EXPECT_LE(relative_max(stats), 1.05 + 1e-9);
}

TEST(DiffusionLB, GivesFasterRanksMoreLoad) {
  LDStats stats = growing_cube();
  for (std::size_t rank = 0; rank < stats.procs.size(); ++rank)
    stats.procs[rank].pe_speed = 1 + static_cast<double>(rank % 3);
  testing::balance_with("DiffusionLB", stats);
  EXPECT_LE(std::ranges::max(finish_times(stats, stats.to_proc)), 1.05001 * ProcArray(stats).average_load());
}

// Speeds may be numbers of operations per second: loads are then as large.
TEST(DiffusionLB, DoesNotDependOnTheUnitOfSpeed) {
  const auto placed_with = [](double unit) {
    LDStats stats = testing::cube_start(16, 4, [&](double x, double, double) { return unit * (x + 1); });
    for (ProcStats& proc : stats.procs) proc.pe_speed = unit;
    testing::balance_with("DiffusionLB", stats);
    return stats.to_proc;
  };
  const std::vector<std::int32_t> placement = placed_with(1);
  for (const double unit : {0x1p-40, 0x1p-20, 0x1p20, 0x1p40})
    EXPECT_EQ(placed_with(unit), placement) << unit;
}

TEST(DiffusionLB, EvacuatesUnavailableRanks) {
  for (const double load : {1.0, 0.0}) {
    LDStats stats = growing_cube();
    for (LDObjData& object : stats.obj_data) object.walltime = static_cast<LBRealType>(load);
    for (std::size_t rank = 0; rank < stats.procs.size(); ++rank)
      stats.procs[rank].available = rank % 16 == 7;
    testing::balance_with("DiffusionLB", stats);
    for (const std::int32_t rank : stats.to_proc) ASSERT_EQ(rank % 16, 7) << "load " << load;
  }
}

TEST(DiffusionLB, DoesNotDependOnThreadsOrTheOrderOfObjects) {
  const auto placed_with = [](unsigned threads) {
    std::vector<DiffusionRank> ranks(8);
    for (std::uint32_t object = 0; object < 400; ++object) {
      const auto rank_of = [](std::uint64_t number) {
        return static_cast<std::int32_t>(std::sqrt(static_cast<double>(number) / 6.3));
      };
      std::vector<DiffusionEdge> edges;
      for (const std::uint64_t neighbor : {object - 1ULL, object + 1ULL})
        if (neighbor < 400) edges.push_back({neighbor, 1, rank_of(neighbor)});
      const std::int32_t rank = rank_of(object);
      ranks[static_cast<std::size_t>(rank)].objects.push_back({object, 1, {rank, object}, rank, edges});
    }
    SimulatedRounds rounds(8, threads);
    balance_by_diffusion(rounds, {}, ranks);
    std::vector<std::int32_t> placement(400);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      for (const DiffusionObject& object : ranks[rank].objects)
        placement[object.origin.position] = static_cast<std::int32_t>(rank);
    return placement;
  };
  EXPECT_EQ(placed_with(1), placed_with(2));
  EXPECT_EQ(placed_with(1), placed_with(8));
}

TEST(DiffusionLB, RejectsInvalidParameters) {
  const StrategyRegistry& registry = StrategyRegistry::builtin();
  EXPECT_ERROR(registry.create("DiffusionLB", {{"neighbors", "0"}}), usage,
               "invalid value 0 for parameter \"neighbors\" of DiffusionLB; use 1 to 2147483647");
  EXPECT_ERROR(registry.create("DiffusionLB", {{"migration_cost", "-1"}}), usage, "migration_cost");
  EXPECT_ERROR(registry.create("DiffusionLB", {{"tolerance", "0.9"}}), usage, "tolerance");
}

}  // namespace
}  // namespace plimsoll::balance
