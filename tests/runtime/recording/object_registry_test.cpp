#include "runtime/recording/object_registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Coordinates = std::vector<double>;

TEST(ObjectPositions, AreKeptBySlot) {
  ObjectPositions positions;
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(7, Coordinates{1, 2});
  positions.set(3, Coordinates{3, 4});
  positions.set(7, Coordinates{5, 6});
  EXPECT_THAT(positions[7], ElementsAre(5, 6));
  EXPECT_THAT(positions[3], ElementsAre(3, 4));
  EXPECT_THAT(positions[4], IsEmpty());
  EXPECT_THAT(positions[100], IsEmpty());
  EXPECT_EQ(positions.axes(), 2U);
}

TEST(ObjectPositions, CanHaveOtherDimensionsOnceAllAreRemoved) {
  ObjectPositions positions;
  positions.set(2, Coordinates{1, 2, 3});
  positions.set(9, Coordinates{4, 5, 6});
  positions.remove(2);
  positions.remove(2);
  EXPECT_THAT(positions[2], IsEmpty());
  EXPECT_THAT(positions[9], ElementsAre(4, 5, 6));
  EXPECT_EQ(positions.axes(), 3U);
  positions.remove(9);
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(5, Coordinates{8});
  EXPECT_THAT(positions[5], ElementsAre(8));
  EXPECT_THAT(positions[9], IsEmpty());
}

TEST(ObjectPositions, RejectInvalidCoordinates) {
  ObjectPositions positions;
  EXPECT_ERROR(positions.set(2, Coordinates{}), usage, "0 coordinates; specify 1, 2 or 3 coordinates");
  EXPECT_ERROR(positions.set(2, Coordinates{1, 2, 3, 4}), usage, "4 coordinates");
  EXPECT_ERROR(positions.set(2, Coordinates{1, std::numeric_limits<double>::infinity()}), usage,
               "coordinate inf of a position: must be finite");
  EXPECT_EQ(positions.axes(), 0U);
  positions.set(2, Coordinates{1, 2});
  EXPECT_ERROR(positions.set(3, Coordinates{1}), usage, "with 1 coordinates: other positions have 2");
  EXPECT_THAT(positions[2], ElementsAre(1, 2));
}

}  // namespace

namespace {

// Simple reference implementation of the registry.
struct Model {
  std::map<std::uint64_t, ObjectHandle> alive;
  std::map<std::uint64_t, std::uint32_t> removed;  // slots of the objects removed in this phase
  std::vector<ObjectHandle> stale;
};

void expect_same(const ObjectRegistry& registry, const Model& model, std::uint64_t ids) {
  for (const auto& [id, handle] : model.alive) {
    ASSERT_TRUE(registry.alive(handle));
    ASSERT_EQ(registry[handle.slot].id, ObjectId{id});
    ASSERT_TRUE(registry[handle.slot].alive);
  }
  for (const ObjectHandle handle : model.stale) ASSERT_FALSE(registry.alive(handle));
  for (std::uint64_t id = 1; id <= ids; ++id) {
    const auto alive = model.alive.find(id);
    const auto removed = model.removed.find(id);
    ASSERT_EQ(registry.find(ObjectId{id}), alive == model.alive.end() ? ObjectHandle{} : alive->second);
    const std::uint32_t slot = alive != model.alive.end()       ? alive->second.slot
                               : removed != model.removed.end() ? removed->second
                                                                : 0;
    ASSERT_EQ(registry.slot_of(ObjectId{id}), slot);
  }
}

TEST(ObjectRegistry, BehavesLikeMapUnderRandomOperations) {
  constexpr std::uint64_t ids = 40;
  std::mt19937 random(3);
  ObjectSlots slots;
  ObjectRegistry registry(slots);
  Model model;
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t id = 1 + random() % ids;
    const auto found = model.alive.find(id);
    if (random() % 50 == 0) {
      registry.end_phase();
      model.removed.clear();
    } else if (found != model.alive.end() && random() % 4 == 0) {
      EXPECT_ERROR(registry.add(ObjectId{id}, 0, true), usage, "already");
    } else if (found != model.alive.end()) {
      registry.remove(found->second);
      model.removed[id] = found->second.slot;
      model.stale.push_back(found->second);
      model.alive.erase(found);
    } else {
      const ObjectHandle object = registry.add(ObjectId{id}, static_cast<lbdata::EntityIndex>(id), true);
      if (const auto before = model.removed.find(id); before != model.removed.end()) {
        EXPECT_EQ(object.slot, before->second) << "the object keeps its slot";
      }
      model.removed.erase(id);
      for (const auto& [other, slot] : model.removed)
        ASSERT_NE(object.slot, slot) << "slot of object " << other;
      for (const auto& [other, handle] : model.alive)
        ASSERT_NE(object.slot, handle.slot) << "slot of object " << other;
      model.alive[id] = object;
    }
    expect_same(registry, model, ids);
    if (model.stale.size() > 200) model.stale.erase(model.stale.begin(), model.stale.begin() + 100);
  }
  EXPECT_LE(registry.size(), ObjectSlots::first_object + 2 * ids) << "slots are reused";
}

TEST(ObjectRegistry, TreatsUnknownHandlesAsInvalid) {
  ObjectSlots slots;
  const ObjectRegistry registry(slots);
  EXPECT_FALSE(registry.alive(ObjectHandle{}));
  EXPECT_FALSE(registry.alive(ObjectHandle{.slot = 1000, .generation = 0}));
  EXPECT_EQ(registry.find(ObjectId{5}), ObjectHandle{});
  EXPECT_TRUE(registry.alive(registry.handle(ObjectSlots::idle)));
}

TEST(ObjectRegistry, KeepsValuesOfRemovedObjectsOnlyIfTheyReturn) {
  ObjectSlots slots;
  ObjectRegistry registry(slots);
  ObjectHandle object = registry.add(ObjectId{7}, 0, true);
  registry.values(UserValueKind::attributes)[object.slot].set("a", 1.0);
  registry.values(UserValueKind::user_defined)[object.slot].set("b", 1.0);
  registry.remove(object);
  object = registry.add(ObjectId{7}, 0, true);
  registry.end_phase();
  EXPECT_EQ(registry.values(UserValueKind::attributes).size(), 1U);
  registry.remove(object);
  registry.end_phase();
  EXPECT_TRUE(registry.values(UserValueKind::attributes).empty());
  EXPECT_TRUE(registry.values(UserValueKind::user_defined).empty());
}

TEST(ObjectRegistry, RemovesAllValuesOfAnObject) {
  ObjectSlots slots;
  ObjectRegistry registry(slots);
  const ObjectHandle object = registry.add(ObjectId{7}, 0, true);
  const ObjectHandle other = registry.add(ObjectId{8}, 0, true);
  for (const ObjectHandle each : {object, other}) {
    registry.values(UserValueKind::attributes)[each.slot].set("a", 1.0);
    registry.values(UserValueKind::user_defined)[each.slot].set("b", 1.0);
    registry.positions().set(each.slot, std::vector{0.5});
  }
  registry.remove_all_values(object.slot);
  EXPECT_FALSE(registry.values(UserValueKind::attributes).contains(object.slot));
  EXPECT_FALSE(registry.values(UserValueKind::user_defined).contains(object.slot));
  EXPECT_TRUE(registry.positions()[object.slot].empty());
  EXPECT_TRUE(registry.values(UserValueKind::attributes).contains(other.slot));
  EXPECT_TRUE(registry.values(UserValueKind::user_defined).contains(other.slot));
  EXPECT_FALSE(registry.positions()[other.slot].empty());
}

TEST(ObjectRegistry, ChangesVersionOnEveryChange) {
  ObjectSlots slots;
  ObjectRegistry registry(slots);
  std::set<std::uint64_t> versions{registry.version()};
  const auto expect_new = [&] { EXPECT_TRUE(versions.insert(registry.version()).second); };
  const ObjectHandle object = registry.add(ObjectId{7}, 0, true);
  expect_new();
  registry.remove(object);
  expect_new();
  registry.end_phase();
  expect_new();
  registry.end_phase();
  EXPECT_TRUE(versions.contains(registry.version()));
}

TEST(ObjectRegistry, ReplacesManyObjectsWithinOnePhase) {
  constexpr std::uint64_t count = 200'000;  // takes hours if each object scans all others
  ObjectSlots slots;
  ObjectRegistry registry(slots);
  std::vector<ObjectHandle> objects;
  for (std::uint64_t id = 1; id <= count; ++id) objects.push_back(registry.add(ObjectId{id}, 0, true));
  for (const ObjectHandle object : objects) registry.remove(object);
  for (std::uint64_t id = count; id > 0; --id) objects[id - 1] = registry.add(ObjectId{id}, 0, true);
  registry.end_phase();
  for (const ObjectHandle object : objects) ASSERT_TRUE(registry.alive(object));
  EXPECT_EQ(registry.size(), ObjectSlots::first_object + count);
}

}  // namespace
}  // namespace plimsoll::runtime
