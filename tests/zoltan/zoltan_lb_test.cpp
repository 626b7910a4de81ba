#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/zoltan.hpp>

#include "balance/mesh_factory.hpp"
#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::zoltan {
namespace {

using balance::CommEnd;
using balance::LDStats;

void balance_with_zoltan(LDStats& stats, const balance::ParameterMap& parameters = {}) {
  balance::StrategyRegistry registry;
  registry.add(zoltan_lb());
  registry.create("ZoltanLB", parameters)->work(stats);
}

double relative_messages(const LDStats& stats) {
  return static_cast<double>(rank_traffic(stats, stats.to_proc).off_rank_messages()) /
         static_cast<double>(rank_traffic(stats, stats.from_proc).off_rank_messages());
}

TEST(ZoltanLB, BalancesMeshWithFewOffRankMessages) {
  LDStats stats = balance::testing::mesh_start(20, 8, 12345);
  balance_with_zoltan(stats);
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.005 + 1e-12);
  EXPECT_LE(relative_messages(stats), 0.85);
}

TEST(ZoltanLB, BalancesLoadsWithoutEdges) {
  LDStats stats = balance::testing::mesh_start(12, 4, 12345);
  balance_with_zoltan(stats, {{"edges", "false"}});
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.005 + 1e-12);
}

TEST(ZoltanLB, StartsFromInitialPlacementOnRequest) {
  LDStats stats = balance::testing::mesh_start(12, 4, 12345);
  balance_with_zoltan(stats, {{"LB_APPROACH", "REPARTITION"}, {"PHG_REPART_MULTIPLIER", "1"}});
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.005 + 1e-12);
  EXPECT_LE(assess(stats, stats.to_proc).n_moved, stats.n_objs() / 2);
}

TEST(ZoltanLB, RespectsNonMigratableObjectsAndUnavailableProcessors) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    LDStats stats = balance::testing::everything(seed % 40, 1 + seed % 9, seed);
    balance_with_zoltan(stats);
    LDStats again = stats;
    balance_with_zoltan(again);
    ASSERT_EQ(again.to_proc, stats.to_proc) << "seed " << seed;
    ASSERT_TRUE(balance::testing::respects_fixed_objects_and_availability(stats)) << "seed " << seed;
  }
}

TEST(ZoltanLB, AcceptsEmptyInput) {
  LDStats stats;
  balance_with_zoltan(stats);
  EXPECT_TRUE(stats.to_proc.empty());
}

TEST(ZoltanLB, SupportsParameterNamesOfVt) {
  LDStats stats = balance::testing::mesh_start(6, 4, 1);
  balance_with_zoltan(stats, {{"IMBALANCE_TOL", "1.1"}, {"PHG_COARSENING_METHOD", "ipm"}, {"SEED", "7"}});
  EXPECT_LE(assess(stats, stats.to_proc).imbalance, 0.1);
  EXPECT_ERROR(balance_with_zoltan(stats, {{"IMBALANCE_TOL", "0.5"}}), usage,
               R"(invalid value 0.5 for parameter "tolerance" of ZoltanLB)");
}

TEST(ZoltanLB, RejectsValuesThatMakeZoltanAbort) {
  LDStats stats = balance::testing::mesh_start(6, 4, 1);
  EXPECT_ERROR(balance_with_zoltan(stats, {{"LB_APPROACH", "NOPE"}}), usage,
               "invalid value \"NOPE\" for parameter \"LB_APPROACH\" of ZoltanLB; use one of PARTITION, "
               "REPARTITION, REFINE");
  EXPECT_ERROR(balance_with_zoltan(stats, {{"PHG_CUT_OBJECTIVE", "cut"}}), usage,
               "invalid value \"cut\" for parameter \"PHG_CUT_OBJECTIVE\" of ZoltanLB");
  EXPECT_ERROR(balance_with_zoltan(stats, {{"PHG_REPART_MULTIPLIER", "much"}}), usage,
               "invalid value \"much\" for parameter \"PHG_REPART_MULTIPLIER\" of ZoltanLB; use a number");
  EXPECT_NO_THROW(balance_with_zoltan(stats, {{"LB_APPROACH", "refine"}, {"PHG_REFINEMENT_METHOD", ""}}));
}

}  // namespace
}  // namespace plimsoll::zoltan
