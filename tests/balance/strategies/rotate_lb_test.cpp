#include <gtest/gtest.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(RotateLB, RotatesAmongAvailableProcessors) {
  LDStats stats = testing::stats_of(4, {1, 1, 1, 1, 1}, {0, 1, 2, 3, 3});
  stats.procs[1].available = false;
  stats.obj_data[4].migratable = false;
  testing::balance_with("RotateLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{2, 2, 3, 0, 3}));
}

TEST(RotateLB, KeepsPlacementWithOneProcessor) {
  LDStats stats = testing::stats_of(2, {1, 1}, {0, 1});
  stats.procs[1].available = false;
  testing::balance_with("RotateLB", stats);
  EXPECT_EQ(stats.to_proc, (std::vector<std::int32_t>{0, 0}));
}

}  // namespace
}  // namespace plimsoll::balance
