#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/mesh_factory.hpp"
#include "balance/rounds/rank_random.hpp"
#include "balance/rounds/simulated_rounds.hpp"
#include "balance/stats_factory.hpp"
#include "balance/strategies/distributed_orb_lb/bisection.hpp"
#include "balance/strategies/distributed_orb_lb/plane_search.hpp"
#include "balance/strategies/distributed_orb_lb/rank_groups.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(GroupTreesOfRanks, AddUpAndDistributeWithinEachGroup) {
  const std::vector<RankGroup> of_ranks = {{0, 1}, {1, 6}, {1, 6}, {1, 6}, {1, 6}, {1, 6}, {6, 8}, {6, 8}};
  SimulatedRounds rounds(8);
  GroupTrees trees(rounds, of_ranks, 5);
  std::vector<std::int64_t> values = {1, 2, 3, 4, 5, 6, 7, 8};
  trees.combine(values, [](std::int64_t& into, std::int64_t from) { into += from; });
  trees.distribute(values);
  EXPECT_EQ(values, (std::vector<std::int64_t>{1, 20, 20, 20, 20, 20, 15, 15}));
}

/// Objects in random places, many of which coincide.
std::vector<BisectionObject> random_objects(std::uint64_t seed) {
  RankRandom random(seed, 0, 0);
  std::vector<BisectionObject> objects(static_cast<std::size_t>(1 + random.below(300)));
  const std::int32_t n_places = 1 + random.below(20);
  for (std::size_t object = 0; object < objects.size(); ++object) {
    objects[object].number = object * 0x9e3779b97f4a7c15U;
    objects[object].load = random.uniform();
    for (double& coordinate : objects[object].position) coordinate = random.below(n_places);
  }
  return objects;
}

// Sorts all objects, and adds up their loads.
TEST(PlaneSearches, DivideTheLoadUpToHalfAnObject) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<BisectionObject> objects = random_objects(seed);
    std::vector<std::pair<PlaceInBox, double>> places;
    double total = 0;
    for (const BisectionObject& object : objects) {
      places.emplace_back(PlaceInBox(object, {0, 0, 0}, {20, 20, 20}, {2, 0, 1}), object.load);
      total += object.load;
    }
    const double target = total * RankRandom(seed, 1, 0).uniform();
    PlaneSearch search(target, total, 0);
    std::vector<std::pair<PlaceInBox, double>> undecided = places;
    double below = 0;
    double last_bin = 0;
    for (int digit = 0; !undecided.empty(); ++digit) {
      ASSERT_LT(digit, PlaceInBox::n_digits);
      PlaceHistogram histogram;
      for (const auto& [place, load] : undecided) histogram.add(load, place.digit(digit));
      const PlaneBin plane = search.next(histogram, digit);
      last_bin = histogram.weights[static_cast<std::size_t>(plane.bin)];
      std::erase_if(undecided, [&](const auto& object) {
        const auto bin = static_cast<std::int32_t>(object.first.digit(digit));
        if (bin == plane.bin && plane.side == PlaneBin::Side::undecided) return false;
        if (bin < plane.bin || (bin == plane.bin && plane.side == PlaneBin::Side::below))
          below += object.second;
        return true;
      });
    }
    ASSERT_LE(std::abs(below - target), last_bin / 2 + 1e-9) << "seed " << seed;
  }
}

double max_load(const LDStats& stats) {
  return relative_max_load(stats, stats.to_proc);
}

TEST(DistributedOrbLB, EqualsTheCentralisedBisection) {
  for (const std::size_t n_ranks : {2UL, 7UL, 64UL}) {
    LDStats stats = testing::mesh_start(20, n_ranks, 5);
    testing::balance_with("OrbLB", stats);
    const double max = max_load(stats);
    const double bytes = rank_traffic(stats, stats.to_proc).off_rank_bytes();
    testing::balance_with("DistributedOrbLB", stats);
    EXPECT_NEAR(max_load(stats), max, 0.005) << n_ranks << " ranks";
    EXPECT_NEAR(rank_traffic(stats, stats.to_proc).off_rank_bytes(), bytes, 0.02 * bytes)
        << n_ranks << " ranks";
  }
}

TEST(DistributedOrbLB, KeepsItsOwnBoxesWhateverTheNumbersOfTheRanks) {
  LDStats stats = testing::mesh_start(16, 12, 5);
  testing::balance_with("DistributedOrbLB", stats);
  for (std::int32_t& rank : stats.to_proc) rank = 11 - rank;
  stats.from_proc = stats.to_proc;
  for (LDObjData& object : stats.obj_data) object.walltime *= 2;
  testing::balance_with("DistributedOrbLB", stats);
  EXPECT_EQ(stats.to_proc, stats.from_proc);
}

TEST(DistributedOrbLB, DividesLoadBySpeedAndBackground) {
  LDStats stats = testing::mesh_start(20, 4, 5);
  double load = 0;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) load += stats.load_s(object);
  stats.procs[0].pe_speed = 3;
  stats.procs[2].bg_walltime = static_cast<LBRealType>(load / 12);
  stats.procs[3].available = false;
  testing::balance_with("DistributedOrbLB", stats);
  const std::vector<double> finish = finish_times(stats, stats.to_proc);
  // Speeds 3, 1 and 1 finish load * 13 / 12 together.
  for (const std::size_t rank : {0UL, 1UL, 2UL}) EXPECT_NEAR(finish[rank], load * 13 / 60, 0.01 * load);
  EXPECT_EQ(std::ranges::count(stats.to_proc, 3), 0);
}

TEST(DistributedOrbLB, DividesObjectsWithoutLoadByNumber) {
  LDStats stats = testing::mesh_start(8, 4, 5);
  for (LDObjData& object : stats.obj_data) object.walltime = 0;
  stats.procs[1].available = false;
  std::ranges::fill(stats.from_proc, 1);
  testing::balance_with("DistributedOrbLB", stats);
  for (const std::int32_t rank : {0, 2, 3})
    EXPECT_NEAR(static_cast<double>(std::ranges::count(stats.to_proc, rank)), 512 / 3.0, 2);
}

TEST(DistributedOrbLB, EvacuatesObjectsWhoseLoadsVanishBesideTheBackground) {
  LDStats stats = testing::mesh_start(4, 4, 5);
  for (LDObjData& object : stats.obj_data) object.walltime = static_cast<LBRealType>(1e-30);
  for (ProcStats& proc : stats.procs) proc.bg_walltime = 1;
  stats.procs[1].available = false;
  testing::balance_with("DistributedOrbLB", stats);
  EXPECT_EQ(std::ranges::count(stats.to_proc, 1), 0);
}

TEST(DistributedOrbLB, RejectsPositionsThatItDoesNotSupport) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  EXPECT_ERROR(testing::balance_with("DistributedOrbLB", stats), usage, "positions");
  stats.n_axes = 4;
  stats.positions.assign(8, 0.0);
  EXPECT_ERROR(testing::balance_with("DistributedOrbLB", stats), usage,
               "positions have 4 axes, but DistributedOrbLB supports 3; use OrbLB");
}

}  // namespace
}  // namespace plimsoll::balance
