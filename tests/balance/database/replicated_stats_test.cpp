#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/replicated_stats.hpp>
#include <plimsoll/balance/score.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;

/// Two ranks with three objects: 0 and 1 on rank 0, 2 on rank 1.
LDStats recorded_objects() {
  LDStats stats = testing::stats_of(2, {1, 2, 4}, {0, 0, 1});
  stats.obj_data[1].migratable = false;
  stats.procs[0].node = 0;
  stats.procs[1].node = 0;
  stats.numbers = {30, 10, 20};
  stats.positions = {5, 0, 7, 0, 6, 3};
  stats.n_axes = 2;
  stats.comm_data = {{CommEnd::object(0), CommEnd::object(2), 100, 1},
                     {CommEnd::object(0), CommEnd::object(1), 10, 2},
                     {CommEnd::processor(1), CommEnd::object(0), 1, 3}};
  stats.memory.resize(3);
  stats.memory[2].block = 0;
  stats.blocks = {{.bytes = 8, .home = 1}};
  stats.more_loads = {{.name = "gpu", .of_object = {7, 8, 9}}};
  return stats;
}

TEST(ReplicatedStats, RepeatRanksWithTheirObjects) {
  const LDStats five = replicated(recorded_objects(), 5);
  EXPECT_EQ(five.count(), 5);
  EXPECT_THAT(five.from_proc, ElementsAre(0, 0, 1, 2, 2, 3, 4, 4));
  EXPECT_EQ(five.to_proc, five.from_proc);
  EXPECT_THAT(five.numbers, ElementsAre(2, 0, 1, 5, 3, 4, 8, 6));
  EXPECT_THAT(five.more_loads[0].of_object, ElementsAre(7, 8, 9, 7, 8, 9, 7, 8));
  EXPECT_THAT(finish_times(five, five.from_proc), ElementsAre(3, 4, 3, 4, 3));
  EXPECT_FALSE(five.obj_data[7].migratable);
  EXPECT_EQ(five.procs[3].node, 1);
  EXPECT_EQ(five.procs[4].node, 2);
}

TEST(ReplicatedStats, KeepCopiesApart) {
  const LDStats five = replicated(recorded_objects(), 5);
  EXPECT_THAT(five.positions, ElementsAre(5, 0, 7, 0, 6, 3, 8, 0, 10, 0, 9, 3, 11, 0, 13, 0));
  ASSERT_EQ(five.comm_data.size(), 7u) << "the last copy has neither object 2 nor rank 1";
  EXPECT_EQ(five.comm_data[3].sender, CommEnd::object(3));
  EXPECT_EQ(five.comm_data[3].receiver, CommEnd::object(5));
  EXPECT_EQ(five.comm_data[5].sender, CommEnd::processor(3));
  EXPECT_EQ(five.comm_data[6].bytes, 10);
  EXPECT_EQ(five.memory[5].block, 1u);
  EXPECT_EQ(five.blocks[1].home, 3);
  EXPECT_EQ(five.blocks[2].home, 4);
}

TEST(ReplicatedStats, AreThoseOfTheDataWithoutFurtherRanks) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LDStats stats = testing::everything(20, 4, seed);
    const LDStats same = replicated(stats, 4);
    EXPECT_EQ(finish_times(same, same.from_proc), finish_times(stats, stats.from_proc));
    EXPECT_EQ(same.positions, stats.positions);
    EXPECT_EQ(same.comm_categories, stats.comm_categories);
    EXPECT_EQ(same.subphases.loads, stats.subphases.loads);
    const LDStats more = replicated(stats, 10);
    EXPECT_NO_THROW(ProcArray{more});
    EXPECT_NO_THROW(ObjGraph{more});
  }
}

TEST(ReplicatedStats, RejectFewerRanks) {
  EXPECT_ERROR(replicated(recorded_objects(), 1), usage,
               "invalid number of simulated ranks 1: the data have 2; use 2 or more");
  EXPECT_ERROR(replicated(LDStats(), 1), usage, "invalid number of simulated ranks 1: the data have 0");
  EXPECT_ERROR(replicated(recorded_objects(), std::int64_t{1} << 40), usage, "use 16777216 or fewer");
}

}  // namespace
}  // namespace plimsoll::balance
