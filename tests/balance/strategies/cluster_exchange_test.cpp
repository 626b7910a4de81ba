#include "balance/strategies/tempered_lb/cluster_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "balance/rounds/simulated_rounds.hpp"
#include "balance/work_rank_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using Held = std::vector<std::vector<ObjectOrigin>>;

/// Places of all objects: the rank where each is at the end.
std::map<std::pair<std::int32_t, std::uint32_t>, std::int32_t> places_of(const Held& held) {
  std::map<std::pair<std::int32_t, std::uint32_t>, std::int32_t> places;
  for (std::size_t rank = 0; rank < held.size(); ++rank)
    for (const ObjectOrigin& object : held[rank])
      EXPECT_TRUE(
          places.emplace(std::pair(object.rank, object.position), static_cast<std::int32_t>(rank)).second);
  return places;
}

/// Moves the objects to their places, and sets the places and nodes of the ends of all edges.
std::vector<WorkRank> with_objects(const std::vector<WorkRank>& start, const Held& held) {
  std::vector<WorkRank> ranks = start;
  std::map<std::uint64_t, std::int32_t> place_of_number;
  for (WorkRank& rank : ranks) rank.objects.clear();
  for (const auto& [origin, place] : places_of(held)) {
    const WorkObject& object = start[static_cast<std::size_t>(origin.first)].objects[origin.second];
    ranks[static_cast<std::size_t>(place)].objects.push_back(object);
    place_of_number[object.number] = place;
  }
  for (WorkRank& rank : ranks) {
    const auto update = [&](std::vector<WorkEdge>& edges) {
      for (WorkEdge& edge : edges) {
        if (edge.is_fixed == 0) edge.rank = place_of_number.at(edge.other);
        edge.node = start[static_cast<std::size_t>(edge.rank)].node;
      }
    };
    update(rank.fixed_edges);
    for (WorkObject& object : rank.objects) update(object.edges);
  }
  return ranks;
}

struct ExchangeOutcome {
  std::int64_t n_misplaced = 0;
  double memory_excess = 0;
  double max_work = 0;
};

ExchangeOutcome exchange_outcome(const std::vector<WorkRank>& ranks, const WorkRules& rules) {
  ExchangeOutcome outcome;
  for (const WorkRank& rank : ranks) {
    const RankWork work = work_of(rank, rules);
    if (!rank.available) outcome.n_misplaced += std::ssize(rank.objects);
    outcome.memory_excess += std::max(0.0, work.memory_bytes - rules.limits.max_memory_bytes);
    outcome.max_work = std::max(outcome.max_work, work.work);
  }
  return outcome;
}

ExchangeOptions options_for(std::uint64_t seed) {
  ExchangeOptions options{
      .reach = {2, 2}, .iterations = 3, .trials = 1 + static_cast<std::int32_t>(seed % 2)};
  options.clusters = {static_cast<ClusterKind>(seed % 3)};
  options.rules = testing::random_rules(seed);
  options.seed = seed;
  return options;
}

Held held_after(std::vector<WorkRank> ranks, const ExchangeOptions& options, unsigned threads = 1) {
  SimulatedRounds rounds(static_cast<std::int32_t>(ranks.size()), threads);
  return exchange_clusters(rounds, options, ranks);
}

TEST(ClusterExchange, NeverWorsensThePlacementAndRespectsMemory) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<WorkRank> start =
        testing::random_ranks(1 + static_cast<std::int32_t>(seed % 9), seed, seed % 2 == 1);
    ExchangeOptions options = options_for(seed);
    if (seed % 2 == 1) options.rules.limits.max_node_memory_bytes = 20 + static_cast<double>(seed % 17);
    const std::vector<WorkRank> end = with_objects(start, held_after(start, options));
    std::size_t n_start = 0;
    std::size_t n_end = 0;
    std::map<std::int64_t, std::pair<double, double>> node_bytes;
    for (std::size_t rank = 0; rank < start.size(); ++rank) {
      n_start += start[rank].objects.size();
      n_end += end[rank].objects.size();
      const double before = work_of(start[rank], options.rules).memory_bytes;
      const double after = work_of(end[rank], options.rules).memory_bytes;
      if (options.rules.limits.limit_memory()) {
        ASSERT_LE(after, std::max(options.rules.limits.max_memory_bytes, before)) << seed;
      }
      node_bytes[start[rank].node].first += before;
      node_bytes[start[rank].node].second += after;
      if (!start[rank].available) {
        ASSERT_LE(end[rank].objects.size(), start[rank].objects.size()) << seed;
      }
    }
    ASSERT_EQ(n_end, n_start) << seed;
    for (const auto& [node, bytes] : node_bytes) {
      ASSERT_LE(bytes.second, std::max(options.rules.limits.max_node_memory_bytes, bytes.first)) << seed;
    }
    const ExchangeOutcome before = exchange_outcome(start, options.rules);
    const ExchangeOutcome after = exchange_outcome(end, options.rules);
    ASSERT_LE(after.n_misplaced, before.n_misplaced) << seed;
    if (after.n_misplaced < before.n_misplaced) continue;
    ASSERT_LE(after.memory_excess, before.memory_excess) << seed;
    if (after.memory_excess < before.memory_excess) continue;
    ASSERT_LE(after.max_work, before.max_work) << seed;
  }
}

TEST(ClusterExchange, GivesTheSameForAnyNumberOfThreads) {
  const std::vector<WorkRank> start = testing::random_ranks(300, 5, true);
  const ExchangeOptions options{.reach = {3, 3}, .rules = {.coefficients = {.beta = 1, .delta = 0.5}}};
  const auto places = places_of(held_after(start, options));
  EXPECT_EQ(places_of(held_after(start, options, 2)), places);
  EXPECT_EQ(places_of(held_after(start, options, 8)), places);
  std::size_t n_moved = 0;
  for (const auto& [origin, place] : places) n_moved += origin.first != place ? 1 : 0;
  EXPECT_GT(n_moved, 40U);
}

TEST(ClusterExchange, KeepsClustersWhole) {
  std::vector<WorkRank> start(6, testing::rank_with(0, 0, {}));
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    start[static_cast<std::size_t>(rank)] =
        testing::rank_with(rank, 0, std::vector<double>(static_cast<std::size_t>(3 * rank), 1.0));
    for (WorkObject& object : start[static_cast<std::size_t>(rank)].objects)
      object.block = {.id = object.position / 3, .home = rank, .bytes = 1};
  }
  const Held held = held_after(start, {.reach = {2, 3}, .iterations = 8});
  const std::vector<WorkRank> end = with_objects(start, held);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> place_of_block;
  for (const WorkRank& rank : end)
    for (const WorkObject& object : rank.objects)
      EXPECT_EQ(place_of_block.emplace(object.block.key(), rank.number).first->second, rank.number);
  EXPECT_EQ(exchange_outcome(end, {}).max_work, 9);  // 15 blocks of 3 on 6 ranks
}

// Only the last 8 of 208 objects have a load. A swap considers 64 clusters.
TEST(ClusterExchange, FindsSwapsBeyondTheFirstClustersOfAnyOrder) {
  std::vector<double> loads(208);
  std::ranges::fill(loads.end() - 8, loads.end(), 1.0);
  const std::vector<WorkRank> start = {testing::rank_with(0, 0, loads), testing::rank_with(1, 0, {})};
  for (const ObjectOrder order : {ObjectOrder::arbitrary, ObjectOrder::by_id, ObjectOrder::fewest_migrations,
                                  ObjectOrder::small_objects, ObjectOrder::largest_objects}) {
    const Held held = held_after(
        start, {.reach = {1, 1}, .iterations = 8, .clusters = {ClusterKind::objects}, .order = order});
    EXPECT_EQ(exchange_outcome(with_objects(start, held), {}).max_work, 4) << static_cast<int>(order);
  }
}

TEST(ClusterExchange, EmptiesUnavailableRanks) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<WorkRank> start = testing::random_ranks(5, seed, false);
    start[1].available = false;
    ExchangeOptions options = options_for(seed);
    options.rules.limits = {};
    EXPECT_EQ(exchange_outcome(with_objects(start, held_after(start, options)), options.rules).n_misplaced, 0)
        << seed;
  }
}

}  // namespace
}  // namespace plimsoll::balance
