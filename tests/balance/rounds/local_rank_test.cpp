#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <plimsoll/balance/distributed_strategy.hpp>

#include "balance/rounds/local_ranks.hpp"
#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

constexpr StrategyNeeds all_columns = {.memory = true, .positions = true};

TEST(LocalRanks, IgnoreTheOrderOfTheParts) {
  const ProcStats proc = {.bg_walltime = 1, .pe_speed = 2, .rank_working_bytes = 9};
  const UnorderedRank parts = {.migratable = {{5, 7, 0}, {1, 2, 1}},
                               .non_migratable = {{0.1, 9, 2}, {0.2, 1, 3}, {0.3, 4, 4}},
                               .edges = {{.object = 0, .rank = 3, .neighbor = 2, .bytes = 0.1, .messages = 1},
                                         {.object = 1, .rank = 3, .neighbor = 7, .bytes = 0.1, .messages = 1},
                                         {.object = 0, .rank = 3, .neighbor = 2, .bytes = 0.2, .messages = 1},
                                         {.object = 0, .rank = 3, .neighbor = 2, .bytes = 0.3, .messages = 1},
                                         {.object = 0, .rank = 4, .bytes = 8, .messages = 2, .stays = true}},
                               .positions = {70, 71, 20, 21},
                               .n_axes = 2,
                               .memory = {{.footprint_bytes = 70, .block = 1}, {.footprint_bytes = 20}},
                               .blocks = {{0, 11, 5}, {3, 12, 6}}};
  UnorderedRank other = parts;
  std::ranges::reverse(other.migratable);
  std::ranges::reverse(other.non_migratable);
  std::ranges::reverse(other.edges);
  for (LocalEdge& edge : other.edges) edge.object = 1 - edge.object;
  other.positions = {20, 21, 70, 71};
  std::ranges::reverse(other.memory);
  const LocalRank rank = make_local_rank(3, proc, 5, parts);
  const LocalRank same = make_local_rank(3, proc, 5, other);
  EXPECT_NEAR(rank.overhead, 1.3, 1e-12);
  EXPECT_EQ(rank.overhead, same.overhead);
  ASSERT_EQ(rank.objects.size(), 2u);
  EXPECT_EQ(rank.objects[0].number, 2u);
  EXPECT_EQ(rank.objects[0].index, 1u);
  EXPECT_EQ(rank.objects[1].new_rank, 3);
  EXPECT_EQ(rank.find(7), 1u);
  EXPECT_EQ(rank.find(5), 2u);
  EXPECT_THAT(rank.positions, ElementsAre(20, 21, 70, 71));
  EXPECT_EQ(rank.positions, same.positions);
  ASSERT_EQ(rank.edges.size(), 3u);
  EXPECT_EQ(rank.edges_of(0).size(), 1u);
  ASSERT_EQ(rank.edges_of(1).size(), 2u);
  EXPECT_EQ(rank.edges_of(1)[0].bytes, same.edges_of(1)[0].bytes);
  EXPECT_EQ(rank.edges_of(1)[0].messages, 3);
  EXPECT_TRUE(rank.edges_of(1)[1].stays);
  EXPECT_EQ(rank.edges_of(1)[1].rank, 4);
  ASSERT_EQ(rank.blocks.size(), 1u);
  EXPECT_EQ(rank.blocks[rank.memory[1].block].id, 12);
  EXPECT_EQ(rank.n_staying, 3u);
  EXPECT_EQ(rank.working_bytes, 9);
}

TEST(LocalRanks, RejectInvalidCommunication) {
  for (const double bytes : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_ERROR(make_local_rank(3, {}, -1, {.migratable = {{1, 1}}, .edges = {{.bytes = bytes}}}), bad_input,
                 "invalid communication of rank 3");
}

// Compares with the columns of LDStats, of which each edge appears at both ends.
TEST(LocalRanks, ContainEachEdgeAtBothEnds) {
  using Ends = std::tuple<std::uint64_t, bool, std::uint64_t>;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const LDStats stats = testing::everything(seed % 40, 1 + seed % 9, seed);
    const auto stays = [&](CommEnd end) {
      return !end.is_object() || !stats.obj_data[end.index()].migratable;
    };
    const auto rank_of = [&](CommEnd end) {
      return end.is_object() ? stats.from_proc[end.index()] : static_cast<std::int32_t>(end.index());
    };
    std::map<Ends, double> expected;
    double staying_bytes = 0;
    for (const LDCommData& edge : stats.comm_data) {
      if (edge.sender == edge.receiver) continue;
      if (stays(edge.sender) && stays(edge.receiver)) staying_bytes += edge.bytes;
      for (const auto& [end, other] : {std::pair(edge.sender, edge.receiver), {edge.receiver, edge.sender}})
        if (!stays(end))
          expected[{end.index(), stays(other),
                    stays(other) ? static_cast<std::uint64_t>(rank_of(other)) : other.index()}] += edge.bytes;
    }
    std::map<Ends, double> found;
    std::size_t n_edges = 0;
    const std::vector<LocalRank> ranks = local_ranks_of(stats, all_columns);
    for (const LocalRank& rank : ranks) {
      for (std::size_t object = 0; object < rank.objects.size(); ++object) {
        const std::uint64_t number = rank.objects[object].number;
        EXPECT_TRUE(std::ranges::equal(rank.position(object), stats.position(number)));
        EXPECT_EQ(rank.memory[object].footprint_bytes, stats.memory[number].footprint_bytes);
        const std::uint32_t block = stats.memory[number].block;
        if (block != ObjMemory::no_block) {
          EXPECT_EQ(rank.blocks[rank.memory[object].block].id, block);
        }
        for (const LocalEdge& edge : rank.edges_of(object)) {
          EXPECT_EQ(edge.object, object);
          EXPECT_TRUE(edge.stays || edge.rank == stats.from_proc[edge.neighbor]);
          found[{number, edge.stays, edge.stays ? static_cast<std::uint64_t>(edge.rank) : edge.neighbor}] +=
              edge.bytes;
          ++n_edges;
        }
      }
      staying_bytes -= rank.staying_bytes;
    }
    EXPECT_EQ(found, expected) << "seed " << seed;  // sums of whole numbers are exact
    EXPECT_EQ(n_edges, expected.size());
    EXPECT_EQ(staying_bytes, 0);
  }
}

}  // namespace
}  // namespace plimsoll::balance
