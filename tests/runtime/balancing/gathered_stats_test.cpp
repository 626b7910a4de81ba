#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/throws_error.hpp"
#include "runtime/balancing/rank_stats.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using balance::CommEnd;
using End = RankEdgeEnd;
constexpr std::uint32_t no_block = balance::ObjMemory::no_block;

constexpr balance::StrategyNeeds everything{
    .memory = true, .positions = true, .communication = true, .numbers = true};
constexpr balance::StrategyNeeds loads_only{
    .memory = false, .positions = false, .communication = false, .numbers = false};

/// Objects with these IDs and a load of 1 s each.
RankStats rank_with(const std::vector<std::uint64_t>& ids) {
  RankStats stats;
  for (const std::uint64_t id : ids) stats.ids.push_back(ObjectId{id});
  stats.loads_s.assign(ids.size(), 1);
  return stats;
}

GatheredStats gathered(const std::vector<RankStats>& ranks,
                       const balance::StrategyNeeds& needs = everything) {
  GatheredStats gathered(needs);
  std::int64_t objects = 0;
  for (const RankStats& rank : ranks) objects += static_cast<std::int64_t>(rank.ids.size());
  gathered.reserve(objects, static_cast<int>(ranks.size()));
  for (const RankStats& rank : ranks) gathered.add_rank(pack(rank, needs));
  return gathered;
}

TEST(GatheredStats, SortsObjectsByRank) {
  RankStats first = rank_with({7, 5});
  first.loads_s = {1.5, 2.5};
  first.proc.bg_walltime = 0.25;
  RankStats third = rank_with({6});
  third.migratable = {0};
  third.proc.pe_speed = 2;
  third.proc.available = false;
  GatheredStats all = gathered({first, rank_with({}), third});
  const balance::LDStats& stats = all.complete();
  EXPECT_EQ(stats.numbers, (std::vector<std::uint64_t>{7, 5, 6}));
  EXPECT_EQ(stats.from_proc, (std::vector<std::int32_t>{0, 0, 2}));
  EXPECT_EQ(stats.to_proc, stats.from_proc);
  ASSERT_EQ(stats.obj_data.size(), 3U);
  EXPECT_EQ(stats.obj_data[0].walltime, 1.5);
  EXPECT_EQ(stats.obj_data[1].walltime, 2.5);
  EXPECT_TRUE(stats.obj_data[1].migratable);
  EXPECT_FALSE(stats.obj_data[2].migratable);
  ASSERT_EQ(stats.procs.size(), 3U);
  EXPECT_EQ(stats.procs[0].bg_walltime, 0.25);
  EXPECT_EQ(stats.procs[0].n_objs, 2);
  EXPECT_EQ(stats.procs[1].n_objs, 0);
  EXPECT_EQ(stats.procs[2].pe_speed, 2);
  EXPECT_FALSE(stats.procs[2].available);
}

TEST(GatheredStats, NumbersHostsInTheOrderOfTheirFirstRanks) {
  std::vector<RankStats> ranks(4, rank_with({}));
  ranks[0].host = ranks[2].host = 70;
  ranks[1].host = 5;
  ranks[3].host = 9;
  GatheredStats all = gathered(ranks);
  const std::vector<balance::ProcStats>& procs = all.complete().procs;
  EXPECT_EQ(procs[0].node, 0);
  EXPECT_EQ(procs[1].node, 1);
  EXPECT_EQ(procs[2].node, 0);
  EXPECT_EQ(procs[3].node, 2);
}

TEST(GatheredStats, NamesAnObjectOnTwoRanks) {
  const std::vector<RankStats> ranks = {rank_with({4}), rank_with({7, 5}), rank_with({6, 5})};
  EXPECT_ERROR(gathered(ranks).complete(), usage, "object 5 is registered on rank 1 and on rank 2");
  EXPECT_EQ(gathered(ranks, loads_only).complete().obj_data.size(), 5);  // without IDs
}

TEST(GatheredStats, AcceptsOneIdOfObjectsThatCannotMigrate) {
  std::vector<RankStats> ranks = {rank_with({4}), rank_with({4})};
  for (RankStats& rank : ranks) rank.migratable = {0};
  EXPECT_EQ(gathered(ranks).complete().obj_data.size(), 2);
  ranks[1].migratable = {1};
  EXPECT_ERROR(gathered(ranks).complete(), usage, "object 4 is registered on rank 0 and on rank 1");
}

TEST(GatheredStats, ReturnsTheObjectsThatLeaveEachRank) {
  GatheredStats all = gathered({rank_with({1, 2, 3}), rank_with({4, 5})});
  all.complete().to_proc = {0, 1, 1, 1, 0};
  const std::vector<LeavingObject> from_0 = all.leaving(0);
  ASSERT_EQ(from_0.size(), 2U);
  EXPECT_EQ(from_0[0].object, 1U);
  EXPECT_EQ(from_0[0].to, 1);
  EXPECT_EQ(from_0[1].object, 2U);
  const std::vector<LeavingObject> from_1 = all.leaving(1);
  ASSERT_EQ(from_1.size(), 1U);
  EXPECT_EQ(from_1[0].object, 1U);
  EXPECT_EQ(from_1[0].to, 0);
}

TEST(GatheredStats, TransfersOnlyWhatTheStrategyNeeds) {
  RankStats rank = rank_with({1, 2});
  rank.positions = {0.5, 1.5};
  rank.n_axes = 1;
  rank.memory.resize(2);
  rank.edges = {{{0, End::Kind::object_here}, {1, End::Kind::object_here}, 8, 1, 0}};
  GatheredStats all = gathered({rank}, loads_only);
  const balance::LDStats& stats = all.complete();
  EXPECT_EQ(stats.obj_data.size(), 2U);
  EXPECT_TRUE(stats.numbers.empty());
  EXPECT_TRUE(stats.positions.empty());
  EXPECT_EQ(stats.n_axes, 0U);
  EXPECT_TRUE(stats.memory.empty());
  EXPECT_TRUE(stats.comm_data.empty());
}

TEST(GatheredStats, NeedsIdsForCommunicationOnly) {
  RankStats rank = rank_with({30, 40});
  rank.edges = {{{40, End::Kind::object_elsewhere}, {0, End::Kind::object_here}, 8, 1, 0}};
  GatheredStats all = gathered({rank}, {.communication = true, .numbers = false});
  const balance::LDStats& stats = all.complete();
  EXPECT_TRUE(stats.numbers.empty());
  ASSERT_EQ(stats.comm_data.size(), 1U);
  EXPECT_EQ(stats.comm_data[0].sender, CommEnd::object(1));
}

TEST(GatheredStats, ResolvesAllKindsOfEnds) {
  RankStats first = rank_with({10, 20});
  first.edges = {
      {{1, End::Kind::object_here}, {30, End::Kind::object_elsewhere}, 100, 2, 1},
      {{1, End::Kind::rank}, {0, End::Kind::object_here}, 200, 3, 4},
  };
  RankStats second = rank_with({30, 40});
  second.edges = {{{20, End::Kind::object_elsewhere}, {1, End::Kind::object_here}, 300, 4, 0}};
  GatheredStats all = gathered({first, second});
  const balance::LDStats& stats = all.complete();
  ASSERT_EQ(stats.comm_data.size(), 3U);
  EXPECT_EQ(stats.comm_data[0].sender, CommEnd::object(1));
  EXPECT_EQ(stats.comm_data[0].receiver, CommEnd::object(2));
  EXPECT_EQ(stats.comm_data[0].bytes, 100);
  EXPECT_EQ(stats.comm_data[0].messages, 2);
  EXPECT_EQ(stats.comm_data[1].sender, CommEnd::processor(1));
  EXPECT_EQ(stats.comm_data[1].receiver, CommEnd::object(0));
  EXPECT_EQ(stats.comm_data[2].sender, CommEnd::object(1));
  EXPECT_EQ(stats.comm_data[2].receiver, CommEnd::object(3));
  EXPECT_EQ(stats.comm_categories, (std::vector<std::uint8_t>{1, 4, 0}));
}

TEST(GatheredStats, DropsDanglingEdges) {
  RankStats first = rank_with({10, 20});
  first.edges = {
      {{0, End::Kind::object_here}, {99, End::Kind::object_elsewhere}, 1, 1, 0},
      {{99, End::Kind::object_elsewhere}, {0, End::Kind::object_here}, 2, 1, 0},
      {{0, End::Kind::object_here}, {2, End::Kind::rank}, 3, 1, 0},
      {{2, End::Kind::object_here}, {0, End::Kind::object_here}, 4, 1, 0},
      {{0, End::Kind::object_here}, {1, End::Kind::object_here}, 5, 1, 0},
  };
  GatheredStats all = gathered({first, rank_with({30})});
  const balance::LDStats& stats = all.complete();
  ASSERT_EQ(stats.comm_data.size(), 1U);
  EXPECT_EQ(stats.comm_data[0].bytes, 5);
  EXPECT_EQ(stats.comm_categories.size(), 1U);
}

TEST(GatheredStats, MergesBlocksByHomeAndId) {
  RankStats first = rank_with({1, 2, 3});
  first.blocks = {{.id = 5, .home = 0, .bytes = 50}, {.id = 6, .home = 1, .bytes = 61}};
  first.memory = {{.block = 1}, {.block = no_block}, {.block = 0}};
  RankStats second = rank_with({4, 5, 6});
  second.blocks = {{.id = 6, .home = 1, .bytes = 61}, {.id = 6, .home = 0, .bytes = 60}};
  second.memory = {{.block = 0}, {.block = 1}, {.block = no_block}};
  GatheredStats all = gathered({first, second});
  const balance::LDStats& stats = all.complete();
  ASSERT_EQ(stats.blocks.size(), 3U);
  EXPECT_EQ(stats.blocks[0].bytes, 50);
  EXPECT_EQ(stats.blocks[0].home, 0);
  EXPECT_EQ(stats.blocks[1].bytes, 61);
  EXPECT_EQ(stats.blocks[1].home, 1);
  EXPECT_EQ(stats.blocks[2].bytes, 60);
  EXPECT_EQ(stats.blocks[2].home, 0);
  std::vector<std::uint32_t> block_of_object;
  for (const balance::ObjMemory& memory : stats.memory) block_of_object.push_back(memory.block);
  EXPECT_EQ(block_of_object, (std::vector<std::uint32_t>{1, no_block, 0, 1, 2, no_block}));
}

TEST(GatheredStats, FillsMemoryOfRanksWithoutSizes) {
  RankStats second = rank_with({2});
  second.memory = {{.serialized_bytes = 8}};
  GatheredStats all = gathered({rank_with({1}), second, rank_with({3})});
  const balance::LDStats& stats = all.complete();
  ASSERT_EQ(stats.memory.size(), 3U);
  EXPECT_EQ(stats.memory[0].migration_bytes(), 0);
  EXPECT_EQ(stats.memory[1].migration_bytes(), 8);
  EXPECT_EQ(stats.memory[2].migration_bytes(), 0);
}

TEST(GatheredStats, PutsObjectsWithoutPositionsAtTheOrigin) {
  RankStats second = rank_with({2, 3});
  second.positions = {1, 2, 3, 4};
  second.n_axes = 2;
  GatheredStats all = gathered({rank_with({1}), second, rank_with({4})});
  const balance::LDStats& stats = all.complete();
  EXPECT_EQ(stats.n_axes, 2U);
  EXPECT_EQ(stats.positions, (std::vector<double>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(GatheredStats, RejectsDifferentNumbersOfAxes) {
  RankStats first = rank_with({1});
  first.positions = {1, 2};
  first.n_axes = 2;
  RankStats third = rank_with({2});
  third.positions = {1, 2, 3};
  third.n_axes = 3;
  EXPECT_ERROR(gathered({first, rank_with({}), third}), usage,
               "positions on rank 2 have 3 coordinates, those on lower ranks 2");
}

TEST(GatheredStats, RejectsTooManyObjects) {
  GatheredStats all(loads_only);
  EXPECT_ERROR(all.reserve(std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1, 2), usage,
               "2147483648");
}

TEST(GatheredStats, RejectsMessagesThatAreTooShort) {
  const std::vector<std::byte> message = pack(rank_with({1, 2}), everything);
  GatheredStats all(everything);
  EXPECT_ERROR(all.add_rank(std::span(message).first(message.size() - 1)), bad_input, "too short");
}

TEST(PackedStats, RejectColumnsOfOtherLengths) {
  RankStats loads = rank_with({1, 2});
  loads.loads_s.pop_back();
  EXPECT_ERROR(pack(loads, everything), usage, "invalid loads: 1 values for 2 objects");
  RankStats flags = rank_with({1, 2});
  flags.migratable = {1};
  EXPECT_ERROR(pack(flags, everything), usage, "invalid migratable flags: 1 values for 2 objects");
  RankStats sizes = rank_with({1, 2});
  sizes.memory.resize(3);
  EXPECT_ERROR(pack(sizes, everything), usage, "invalid sizes: 3 values for 2 objects");
  RankStats positions = rank_with({1, 2});
  positions.n_axes = 2;
  positions.positions = {1, 2, 3};
  EXPECT_ERROR(pack(positions, everything), usage, "invalid coordinates: 3 values");
  EXPECT_NO_THROW(pack(positions, loads_only));
}

TEST(PackedStats, RejectInvalidValuesAndNameTheObject) {
  for (const double invalid : {-0.5, std::nan(""), HUGE_VAL}) {
    RankStats loads = rank_with({11, 12});
    loads.loads_s[1] = invalid;
    EXPECT_ERROR(pack(loads, loads_only), usage, "invalid load of object 12: ");
    RankStats sizes = rank_with({11, 12});
    sizes.memory.resize(2);
    sizes.memory[0].serialized_bytes = invalid;
    EXPECT_ERROR(pack(sizes, loads_only), usage, "invalid size of object 11: ");
  }
  RankStats positions = rank_with({11, 12});
  positions.n_axes = 2;
  positions.positions = {1, -2, 3, HUGE_VAL};
  EXPECT_ERROR(pack(positions, everything), usage, "invalid coordinate of object 12: inf");
  EXPECT_NO_THROW(pack(positions, loads_only));
}

}  // namespace
}  // namespace plimsoll::runtime
