#include "balance/load_sort.hpp"

#include <gmock/gmock.h>

#include "balance/stats_factory.hpp"

namespace plimsoll::balance {
namespace {

TEST(LoadSort, PutsTheHeaviestFirstAndLeavesSentinelsOut) {
  LDStats stats = testing::stats_of(1, {2, 0, 1e30, 2, 1e-30, 7}, {0, 0, 0, 0, 0, 0});
  stats.obj_data[5].migratable = false;
  EXPECT_THAT(migratable_by_descending_load(stats), ::testing::ElementsAre(2, 0, 3, 4, 1));
}

TEST(LoadSort, AgreesWithAStableSort) {
  const LDStats stats = testing::block_start(20000, 4, 3);
  std::vector<std::uint32_t> expected(stats.obj_data.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::ranges::stable_sort(expected, std::greater<>(), [&](std::uint32_t object) {
    return static_cast<float>(stats.obj_data[object].walltime);
  });
  EXPECT_EQ(migratable_by_descending_load(stats), expected);
}

}  // namespace
}  // namespace plimsoll::balance
