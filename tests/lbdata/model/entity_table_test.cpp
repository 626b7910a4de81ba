#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <plimsoll/lbdata/entity_table.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

Entity entity_of_object(std::uint64_t id, std::int32_t home,
                        const std::vector<std::int64_t>* index = nullptr) {
  Entity entity;
  entity.id = WideInteger{id, false};
  entity.home = home;
  entity.migratable = true;
  entity.collection_id = WideInteger{7, false};
  if (index != nullptr) entity.index = *index;
  return entity;
}

TEST(WideInteger, IsFormattedAsInLbDataFiles) {
  EXPECT_EQ(to_string(WideInteger{0}), "0");
  EXPECT_EQ(to_string(WideInteger{UINT64_MAX}), "18446744073709551615");
  EXPECT_EQ(to_string(WideInteger{static_cast<std::uint64_t>(std::int64_t{-5}), true}), "-5");
  EXPECT_EQ(to_string(WideInteger{std::uint64_t{1} << 63, true}), "-9223372036854775808");
}

TEST(EntityTable, AssignsOneIndexPerEntity) {
  EntityTable table;
  const std::vector<std::int64_t> index{1, 2};
  const EntityIndex first = table.intern(entity_of_object(3, 0, &index));
  const EntityIndex second = table.intern(entity_of_object(7, 0, &index));
  EXPECT_NE(first, second);
  EXPECT_EQ(table.intern(entity_of_object(3, 0, &index)), first);
  EXPECT_EQ(table.size(), 2U);
  EXPECT_EQ(table.family_count(), 1U);
}

TEST(EntityTable, DistinguishesEntitiesByEveryMember) {
  const std::vector<std::int64_t> index{1};
  const std::vector<std::int64_t> other_index{2};
  const std::vector<std::int64_t> no_index;
  const Entity plain = entity_of_object(3, 0, &index);
  std::vector<Entity> entities(12, plain);
  entities[1].id = WideInteger{4, false};
  entities[2].home = 1;
  entities[3].migratable = false;
  entities[4].migratable.reset();
  entities[5].collection_id = WideInteger{8, false};
  entities[6].objgroup_id = WideInteger{0, false};
  entities[7].index = other_index;
  entities[8].index = no_index;
  entities[9].index.reset();
  entities[10].type = "node";
  entities[11].seq_id = WideInteger{0, false};
  EntityTable table;
  for (const Entity& entity : entities) table.intern(entity);
  EXPECT_EQ(table.size(), entities.size());
  for (std::size_t i = 0; i < entities.size(); ++i) EXPECT_EQ(table.intern(entities[i]), i);
}

TEST(EntityTable, KeepsNegativeAndLargeNumbers) {
  EntityTable table;
  Entity entity;
  entity.id = WideInteger{~std::uint64_t{0}, false};
  entity.seq_id = WideInteger{0 - std::uint64_t{5}, true};
  const EntityIndex large = table.intern(entity);
  entity.id = WideInteger{~std::uint64_t{0}, true};
  const EntityIndex minus_one = table.intern(entity);
  EXPECT_NE(large, minus_one);
  EXPECT_EQ(table.number(large), (WideInteger{~std::uint64_t{0}, false}));
  EXPECT_EQ(table.number(minus_one), (WideInteger{~std::uint64_t{0}, true}));
  EXPECT_EQ(table.seq_id(large), (WideInteger{0 - std::uint64_t{5}, true}));
}

TEST(EntityTable, KeepsIndicesOfAnyLengthAndValue) {
  EntityTable table;
  const std::vector<std::int64_t> values{0, -1, 2147483647, -2147483648LL, 9007199254740993LL, INT64_MIN};
  for (std::size_t size = 0; size <= values.size(); ++size) {
    const std::vector<std::int64_t> index(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size));
    const EntityIndex entity = table.intern(entity_of_object(1, 0, &index));
    ASSERT_EQ(table.index(entity).size(), size);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(table.index(entity)[i], index[i]);
  }
}

TEST(EntityTable, MergesAnotherTableAfterShrinking) {
  EntityTable left;
  EntityTable right;
  for (std::uint64_t id = 0; id < 100; ++id) left.intern(entity_of_object(id, 0));
  for (std::uint64_t id = 50; id < 150; ++id) right.intern(entity_of_object(id, 0));
  left.shrink();
  const std::vector<EntityIndex> indices = left.merge(right);
  EXPECT_EQ(left.size(), 150U);
  for (std::uint64_t id = 50; id < 150; ++id) EXPECT_EQ(left.number(indices[id - 50]).bits, id);
}

TEST(EntityTable, UsesTwentyBytesPerEntity) {
  EntityTable table;
  for (std::int64_t i = 0; i < 100000; ++i) {
    const std::vector<std::int64_t> index{i};
    table.intern(entity_of_object((static_cast<std::uint64_t>(i) << 18) | 3, 0, &index));
  }
  table.shrink();
  EXPECT_LE(table.memory_bytes(), 100000 * 20 + 4000);
}

}  // namespace
}  // namespace plimsoll::lbdata
