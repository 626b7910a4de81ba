#include "balance/search/load_sort.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

std::vector<std::uint32_t> objects_of(const std::vector<LoadedObject>& items) {
  std::vector<std::uint32_t> objects;
  for (const LoadedObject& item : items) objects.push_back(item.object);
  return objects;
}

TEST(LoadSort, PutsHeaviestObjectsFirstAndSkipsNonMigratableObjects) {
  LDStats stats = testing::stats_of(1, {2, 0, 1e30, 2, 1e-30, 7}, {0, 0, 0, 0, 0, 0});
  stats.obj_data[5].migratable = false;
  EXPECT_THAT(objects_of(migratable_by_descending_load(stats)), ::testing::ElementsAre(2, 0, 3, 4, 1));
}

TEST(LoadSort, MatchesStableSort) {
  const LDStats stats = testing::block_start(20000, 4, 3);
  std::vector<std::uint32_t> expected(stats.obj_data.size());
  for (std::uint32_t i = 0; i < expected.size(); ++i) expected[i] = i;
  std::ranges::stable_sort(expected, std::greater<>(), [&](std::uint32_t object) {
    return static_cast<float>(stats.obj_data[object].walltime);
  });
  EXPECT_EQ(objects_of(migratable_by_descending_load(stats)), expected);
}

TEST(LoadSort, SortsLoadsToWithinOneEighth) {
  LDStats stats = testing::block_start(20000, 4, 3);
  stats.obj_data[7].migratable = false;
  const std::vector<LoadedObject> items = migratable_by_coarse_load(stats);
  std::vector<std::uint32_t> objects = objects_of(items);
  double lightest = items.front().load;
  for (const LoadedObject& item : items) {
    ASSERT_EQ(item.load, static_cast<double>(stats.obj_data[item.object].walltime));
    ASSERT_LE(item.load, lightest * 9 / 8);
    lightest = std::min(lightest, item.load);
  }
  std::ranges::sort(objects);
  std::vector<std::uint32_t> expected(20000);
  std::iota(expected.begin(), expected.end(), 0u);
  std::erase(expected, 7u);
  EXPECT_EQ(objects, expected);
}

}  // namespace
}  // namespace plimsoll::balance
