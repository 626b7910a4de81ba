#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/random.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

constexpr std::int32_t side = 32;
constexpr std::size_t n_cells = side * side * side;
constexpr std::size_t n_ranks_of_grid = 32;

double u4_load(Random& random) {
  return 10e-6 + 2990e-6 * std::pow(random.uniform(), 4);
}

/// A cube of objects with six neighbours each, in blocks of consecutive numbers.
LDStats grid() {
  LDStats stats;
  stats.procs.resize(n_ranks_of_grid);
  stats.n_axes = 3;
  Random random(3);
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    stats.obj_data.push_back({static_cast<LBRealType>(u4_load(random)), true});
    for (const std::size_t axis : {cell / side / side, cell / side % side, cell % side})
      stats.positions.push_back(static_cast<double>(axis));
    stats.from_proc.push_back(static_cast<std::int32_t>(cell * n_ranks_of_grid / n_cells));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

double max_over_average(const LDStats& stats) {
  return std::ranges::max(finish_times(stats, stats.to_proc)) / ProcArray(stats).average_load();
}

double moved_share(const LDStats& stats) {
  std::size_t moved = 0;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object)
    moved += stats.to_proc[object] != stats.from_proc[object] ? 1 : 0;
  return static_cast<double>(moved) / static_cast<double>(stats.to_proc.size());
}

/// Returns the number of pairs of neighbours on different ranks.
std::size_t off_rank_pairs(const LDStats& stats) {
  std::size_t pairs = 0;
  for (std::size_t cell = 0; cell < n_cells; ++cell)
    for (const std::size_t stride : {std::size_t{1}, std::size_t{side}, std::size_t{side} * side}) {
      const bool is_last = cell / stride % side == side - 1;
      if (!is_last && stats.to_proc[cell] != stats.to_proc[cell + stride]) ++pairs;
    }
  return pairs;
}

LDStats cut(LDStats stats) {
  testing::balance_with("SpaceFillingCurveLB", stats, {{"tolerance", "1"}});
  return stats;
}

TEST(SpaceFillingCurveLB, CutsTheCurveIntoCompactBlocks) {
  const LDStats stats = cut(grid());
  EXPECT_LE(max_over_average(stats), 1.005);
  // A cube of 1,024 cells has 6 x 10.1^2 faces, each of which belongs to two cubes; blocks of a curve have
  // more.
  EXPECT_LE(static_cast<double>(off_rank_pairs(stats)), 1.5 * n_ranks_of_grid * 3 * 10.1 * 10.1);
  LDStats again = stats;
  again.from_proc = stats.to_proc;
  EXPECT_EQ(moved_share(cut(again)), 0);
}

/// Changes loads in a placement that was cut, and balances again: few objects may move, and few pairs may
/// become off-rank.
void expect_few_moves(const std::string& change,
                      const std::function<double(double load, double place, Random& random)>& changed) {
  LDStats stats = cut(grid());
  stats.from_proc = stats.to_proc;
  Random random(5);
  for (std::size_t cell = 0; cell < n_cells; ++cell) {
    const double place = (stats.from_proc[cell] + 0.5) / n_ranks_of_grid;
    stats.obj_data[cell].walltime = static_cast<LBRealType>(changed(stats.load_s(cell), place, random));
  }
  testing::balance_with("SpaceFillingCurveLB", stats);
  EXPECT_LE(max_over_average(stats), 1.02 + 1e-6) << change;
  EXPECT_LE(moved_share(stats), 0.01) << change;
  EXPECT_LE(static_cast<double>(off_rank_pairs(stats)), 1.1 * static_cast<double>(off_rank_pairs(cut(stats))))
      << change;
}

// Changes that make optimal cuts move up to 98 % of the objects.
TEST(SpaceFillingCurveLB, KeepsBlocksWhenLoadsChange) {
  expect_few_moves("each by 5 %", [](double load, double, Random& random) {
    return load * (0.95 + 0.1 * random.uniform());
  });
  expect_few_moves("5 % redrawn", [](double load, double, Random& random) {
    return random.uniform() < 0.05 ? u4_load(random) : load;
  });
  expect_few_moves("second half",
                   [](double load, double place, Random&) { return place > 0.5 ? 1.05 * load : load; });
  expect_few_moves("ramp", [](double load, double place, Random&) { return load * (0.95 + 0.1 * place); });
}

// 4,096 boxes of equal size, 90 % of them without load, on 64 ranks that may hold 1.5 x the mean.
TEST(SpaceFillingCurveLB, RespectsLimitsOnMemory) {
  LDStats stats;
  stats.procs.resize(64);
  stats.n_axes = 2;
  Random random(8);
  for (std::int32_t box = 0; box < 4096; ++box) {
    stats.obj_data.push_back(
        {static_cast<LBRealType>(random.uniform() < 0.1 ? 1 + random.uniform() : 0), true});
    stats.memory.push_back({.footprint_bytes = 1});
    stats.positions.insert(stats.positions.end(), {box % 64 + 0.0, box / 64 + 0.0});
    stats.from_proc.push_back(box / 64);
  }
  stats.to_proc = stats.from_proc;
  testing::balance_with("SpaceFillingCurveLB", stats, {{"max_memory_bytes", "96"}});
  std::vector<int> boxes(64);
  for (const std::int32_t rank : stats.to_proc) ++boxes[static_cast<std::size_t>(rank)];
  EXPECT_LE(std::ranges::max(boxes), 96);
  EXPECT_LT(max_over_average(stats), 1.2);  // 6.4 boxes with load per rank
}

// All objects of a rank share a block: 8 objects and their block need 108 bytes, not 808.
TEST(SpaceFillingCurveLB, CountsASharedBlockOncePerRank) {
  LDStats stats;
  stats.procs.resize(4);
  stats.n_axes = 1;
  for (std::uint32_t object = 0; object < 32; ++object) {
    stats.obj_data.push_back({1, true});
    stats.memory.push_back({.footprint_bytes = 1, .block = object / 8});
    stats.positions.push_back(object);
    stats.from_proc.push_back(static_cast<std::int32_t>(object % 2));
  }
  for (std::int32_t block = 0; block < 4; ++block) stats.blocks.push_back({100, block});
  testing::balance_with("SpaceFillingCurveLB", stats, {{"max_memory_bytes", "108"}});
  for (std::size_t object = 0; object < 32; ++object)
    EXPECT_EQ(stats.to_proc[object], stats.to_proc[object / 8 * 8]) << object;
  EXPECT_DOUBLE_EQ(max_over_average(stats), 1);
}

TEST(SpaceFillingCurveLB, NeedsPositionsAndAKnownCurve) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 0});
  EXPECT_ERROR(testing::balance_with("SpaceFillingCurveLB", stats), usage,
               "missing object positions: SpaceFillingCurveLB requires them");
  EXPECT_ERROR(testing::balance_with("SpaceFillingCurveLB", stats, {{"curve", "peano"}}), usage,
               "unknown curve of SpaceFillingCurveLB \"peano\"");
}

}  // namespace
}  // namespace plimsoll::balance
