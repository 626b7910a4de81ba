// Collective calls that differ between ranks: an error on all ranks, after which the system can be used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

struct Item : Element<Item> {
  int received = 0;
  void receive(int value) { received += value; }
  void hear(int value) { received += 100 * value; }
  void tell(int value) { received += value; }
  void tell(double) const { static_cast<void>(received); }
  void create() { const Collection<Item> others(system(), {.bounds = {{3}}}); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(received);
  }
};

struct OtherItem : Element<OtherItem> {};

class UnequalCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  }
  bool is_last() const { return system.rank() == system.rank_count() - 1; }
  /// Expects that the system works.
  void expect_usable() {
    Collection<Item> items(system, {.bounds = {{10}}});
    items.broadcast<&Item::receive>(1);
    system.next_phase();
    items.for_each_local([&](const Item& item) { EXPECT_EQ(item.received, system.rank_count()); });
  }
  void create(const CollectionOptions<1>& options) { const Collection<Item> items(system, options); }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
};

TEST_F(UnequalCalls, CreateDifferentCollections) {
  const CollectionOptions<1> usual{.bounds = {{10}}};
  CollectionOptions<1> larger = usual;
  larger.bounds = {{11}};
  CollectionOptions<1> renamed = usual;
  renamed.name = "others";
  CollectionOptions<1> sparse = usual;
  sparse.is_dense = false;
  CollectionOptions<1> invalid = usual;
  invalid.bounds = {{0}};
  for (const auto& options : {larger, renamed, sparse, invalid})
    EXPECT_ERROR(create(is_last() ? options : usual), usage,
                 "the ranks make different collective calls: rank 0 calls the constructor of collection 0");
  EXPECT_ERROR(create(invalid), usage, "invalid bounds of a collection");
  expect_usable();
}

TEST_F(UnequalCalls, CreateCollectionsOfOtherTypes) {
  const auto create_one = [&] {
    if (is_last())
      const Collection<OtherItem> others(system, {.bounds = {{10}}});
    else
      create({.bounds = {{10}}});
  };
  EXPECT_ERROR(create_one(), usage, "OtherItem");
  expect_usable();
}

TEST_F(UnequalCalls, CreateCollectionsInAnotherOrder) {
  const auto create_two = [&] {
    const Collection<Item> first(system, {.bounds = {{10}}, .name = is_last() ? "b" : "a"});
    const Collection<Item> second(system, {.bounds = {{10}}, .name = is_last() ? "a" : "b"});
  };
  EXPECT_ERROR(create_two(), usage, "rank 0 calls the constructor of collection 0, elements \"a\" of 10");
  expect_usable();
}

TEST_F(UnequalCalls, CreateOneCollectionMoreThanOthers) {
  const auto call = [&] {
    if (is_last())
      create({.bounds = {{10}}});
    else
      system.run_until_quiet();
  };
  EXPECT_ERROR(call(), usage, "rank 0 calls run_until_quiet() with no collections, rank");
  expect_usable();
}

TEST_F(UnequalCalls, DeliverTheMessagesInTheNextRun) {
  Collection<Item> items(system, {.bounds = {{10}}});
  items.broadcast<&Item::receive>(1);
  const auto call = [&] {
    if (is_last())
      create({.bounds = {{10}}});
    else
      system.next_phase();
  };
  EXPECT_ERROR(call(), usage, "rank 0 calls next_phase() with collections 0 \"elements\", rank");
  EXPECT_EQ(recorder.phase(), 0);
  system.next_phase();
  items.for_each_local([&](const Item& item) { EXPECT_EQ(item.received, system.rank_count()); });
}

TEST_F(UnequalCalls, DestroyDifferentCollections) {
  std::optional<Collection<Item>> first(std::in_place, system, CollectionOptions<1>{.bounds = {{10}}});
  std::optional<Collection<Item>> second(std::in_place, system, CollectionOptions<1>{.bounds = {{10}}});
  (is_last() ? first : second).reset();
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "rank 0 calls run_until_quiet() with collections 0 \"elements\", rank");
  (is_last() ? second : first).reset();
  system.run_until_quiet();
  expect_usable();
}

TEST_F(UnequalCalls, BroadcastCollectivelyOnSomeRanks) {
  Collection<Item> items(system, {.bounds = {{10}}});
  if (is_last()) items.broadcast_collective<&Item::receive>(1);
  const std::string other = std::to_string(system.rank_count() - 1);
  EXPECT_ERROR(
      system.run_until_quiet(), usage,
      "before run_until_quiet() with collections 0 \"elements\", call 1 of rank 0 is missing, and that of "
      "rank " +
          other + " is broadcast_collective() of ");
  if (is_last())
    items.broadcast_collective<&Item::hear>(1);
  else
    items.broadcast_collective<&Item::receive>(1);
  EXPECT_ERROR(system.next_phase(), usage, "Item::hear(int) to collection 0 \"elements\"");
  system.next_phase();
}

TEST_F(UnequalCalls, BroadcastCollectivelyToOverloads) {
  using Tell = void (Item::*)(int);
  using TellConst = void (Item::*)(double) const;
  Collection<Item> items(system, {.bounds = {{10}}});
  if (is_last())
    items.broadcast_collective<static_cast<Tell>(&Item::tell)>(1);
  else
    items.broadcast_collective<static_cast<TellConst>(&Item::tell)>(1);
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "Item::tell(double) const to collection 0 \"elements\", and that");
  system.next_phase();
}

TEST_F(UnequalCalls, BroadcastCollectivelyMoreOftenThanOthers) {
  Collection<Item> items(system, {.bounds = {{10}}});
  for (int k = 0; k < 1000; ++k)
    if (is_last() && k == 700)
      items.broadcast_collective<&Item::hear>(1);
    else
      items.broadcast_collective<&Item::receive>(1);
  const auto error = plimsoll::testing::error_of([&] { system.run_until_quiet(); });
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->what(),
              ::testing::ContainsRegex("call 701 of rank 0 is broadcast_collective\\(\\) of .*Item"
                                       "::receive\\(int\\) to collection 0 \"elements\", and that "
                                       "of rank . is .*Item::hear\\(int\\) to collection 0"));
  EXPECT_LT(std::strlen(error->what()), 600U);
  system.next_phase();
}

TEST_F(UnequalCalls, CreateCollectionsInMemberFunctions) {
  Collection<Item> items(system, {.bounds = {{10}}});
  items.broadcast<&Item::create>();
  EXPECT_ERROR(system.run_until_quiet(), usage, "the constructor of a collection is called by an element");
  system.next_phase();
}

TEST_F(UnequalCalls, StopTheOthersWhenOneRankLeaves) {
  std::optional<ObjectSystem> leaving;
  LoadRecorder own_recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  leaving.emplace(own_recorder);
  const auto create_in_it = [&] { const Collection<Item> items(*leaving, {.bounds = {{10}}}); };
  if (!is_last()) EXPECT_ERROR(create_in_it(), system, "another rank has stopped waiting for messages");
  leaving.reset();
}

}  // namespace
}  // namespace plimsoll::objects
