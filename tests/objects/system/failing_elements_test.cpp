// Elements that throw. The error reaches all ranks, and no element is lost or on two ranks afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_elements = 20;

enum class Place { nowhere, constructor, about_to_migrate, pack, unpack, just_migrated, handler };

/// Element that fails in one place if its position is 7.
struct Fragile : Element<Fragile> {
  static inline Place fails_in = Place::nowhere;
  static inline bool destroys_itself = false;  ///< instead of throwing
  int received = 0;
  int migrations = 0;

  Fragile() { use_at_sync(); }
  explicit Fragile(int) {
    use_at_sync();
    pass(Place::constructor);
  }
  void receive() {
    pass(Place::handler);
    ++received;
  }
  void synchronise() { at_sync(); }
  void about_to_migrate() override { pass(Place::about_to_migrate); }
  void just_migrated() override {
    pass(Place::just_migrated);
    ++migrations;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    pass(Archive::is_loading::value ? Place::unpack : Place::pack);
    archive(received, migrations);
  }

 private:
  void pass(Place place) {
    if (place != fails_in || index() != Index<1>{7}) return;
    if (!destroys_itself) throw std::runtime_error("it broke");
    destroy();
  }
};

struct Ephemeral : Element<Ephemeral> {
  double user_set_lb_load() override {
    destroy();
    return 0;
  }
  template <class Archive>
  void serialize(Archive&) {}
};

class FailingElements : public ::testing::Test {
 protected:
  void TearDown() override {
    Fragile::fails_in = Place::nowhere;
    Fragile::destroys_itself = false;
  }
  /// Returns the beginning of errors of element 7 in the current phase, after the rank.
  std::string at_element_7(const std::string& collection = "elements") const {
    return "phase " + std::to_string(recorder.phase()) + ": element (7) of \"" + collection + "\": ";
  }
  void request_moves() {
    elements.for_each_local(
        [&](Fragile& element) { element.migrate_to((system.rank() + 1) % system.rank_count()); });
  }
  /// Expects that all elements exist once and can be used.
  void expect_all_usable(std::int64_t expected_count = n_elements) {
    Fragile::fails_in = Place::nowhere;
    EXPECT_EQ(recorder.communicator().sum(static_cast<std::int64_t>(elements.local_count())), expected_count);
    elements.for_each_local([](Fragile& element) { element.received = 0; });
    for (std::int64_t k = 0; k < n_elements; ++k)
      if (expected_count == n_elements || k != 7) elements[{k}].send<&Fragile::receive>();
    system.run_until_quiet();
    elements.for_each_local(
        [&](const Fragile& element) { EXPECT_EQ(element.received, system.rank_count()); });
    const std::int64_t phase = recorder.phase();
    elements.broadcast<&Fragile::synchronise>();
    system.run_until_quiet();
    EXPECT_EQ(recorder.phase(), phase + 1);  // at_sync() counts the elements correctly
    request_moves();
    system.next_phase();
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
  Collection<Fragile> elements{system, {.bounds = {{n_elements}}}};
};

TEST_F(FailingElements, AreNotCreated) {
  elements.for_each_local([](Fragile& element) {
    if (element.index() == Index<1>{7}) element.destroy();
  });
  system.run_until_quiet();
  for (const bool destroys_itself : {false, true}) {
    for (int rank = 0; rank < system.rank_count(); ++rank) {
      Fragile::fails_in = Place::constructor;
      Fragile::destroys_itself = destroys_itself;
      if (system.rank() == rank) elements.insert({7}, 0);
      if (destroys_itself)
        EXPECT_ERROR(system.run_until_quiet(), usage, "element (7) of \"elements\" cannot be destroyed now");
      else
        EXPECT_ERROR(system.run_until_quiet(), system, "element (7) of \"elements\": it broke");
    }
  }
  expect_all_usable(n_elements - 1);
  if (system.rank() == 0) elements.insert({7}, 0);
  system.run_until_quiet();
  expect_all_usable();
}

/// Element whose constructor sends messages before it fails, if the position is 7.
struct Announcer : Element<Announcer> {
  static inline bool fails = true;
  int received = 0;
  explicit Announcer(ElementProxy<Fragile> other) {
    if (index()[0] > 0) collection()[{0}].send<&Announcer::receive>();
    collection().broadcast<&Announcer::receive>();
    other.send<&Fragile::receive>();
    if (fails && index()[0] == 7) throw std::runtime_error("it broke");
  }
  void receive() { ++received; }
};

TEST_F(FailingElements, LeaveNoMessagesToTheirCollection) {
  Announcer::fails = true;
  using Announcers = Collection<Announcer>;
  const CollectionOptions<1> options{.bounds = {{n_elements}}, .migratable = false};
  EXPECT_ERROR(Announcers(system, options, elements[{0}]), system, "it broke");
  system.run_until_quiet();
  int n_constructed = 8;
  for (std::int64_t k = 8; k < n_elements; ++k) n_constructed += elements.home({k}) != elements.home({7});
  if (const Fragile* const first = elements.find({0})) {
    EXPECT_EQ(first->received, n_constructed);
  }

  Announcer::fails = false;
  Announcers announcers(system, options, elements[{0}]);
  system.run_until_quiet();
  announcers.for_each_local([](const Announcer& each) {
    EXPECT_EQ(each.received, each.index()[0] == 0 ? 2 * n_elements - 1 : n_elements);
  });
  expect_all_usable();
}

TEST_F(FailingElements, AreNotCreatedTwice) {
  if (system.rank() == 0) elements.insert({7}, 0);
  EXPECT_ERROR(system.run_until_quiet(), usage, "element (7) of \"elements\": the element exists already");
  expect_all_usable();
}

TEST_F(FailingElements, DoNotKeepBroadcastsFromOthers) {
  Fragile::fails_in = Place::handler;
  if (system.rank() == 0) elements.broadcast<&Fragile::receive>();
  EXPECT_ERROR(system.run_until_quiet(), system, "element (7) of \"elements\": it broke");
  elements.for_each_local(
      [](const Fragile& element) { EXPECT_EQ(element.received, element.index()[0] == 7 ? 0 : 1); });
  expect_all_usable();
}

TEST_F(FailingElements, StayWhereTheyCannotMigrate) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  for (const Place place : {Place::about_to_migrate, Place::pack, Place::unpack}) {
    Fragile::fails_in = place;
    request_moves();
    EXPECT_ERROR(system.run_until_quiet(), system, at_element_7() + "it broke");
    expect_all_usable();
  }
}

TEST_F(FailingElements, StayWhereTheyCannotBeBalanced) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  for (const Place place : {Place::about_to_migrate, Place::pack, Place::unpack}) {
    Fragile::fails_in = place;
    system.balancer().set_strategy("RotateLB");
    const std::string expected = at_element_7() + "it broke";
    EXPECT_ERROR(system.next_phase(), system, expected);
    system.balancer().set_strategy("NoLB");
    expect_all_usable();
  }
}

TEST_F(FailingElements, HaveMigratedWhenJustMigratedThrows) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  Fragile::fails_in = Place::just_migrated;
  request_moves();
  EXPECT_ERROR(system.run_until_quiet(), system, "element (7) of \"elements\": it broke");
  elements.for_each_local([&](const Fragile& element) {
    EXPECT_EQ(element.migrations, element.index()[0] == 7 ? 0 : 1);
    EXPECT_NE(elements.home(element.index()), system.rank());
  });
  expect_all_usable();
}

TEST_F(FailingElements, CanDestroyThemselvesOnlyAfterMigrations) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  Fragile::fails_in = Place::about_to_migrate;
  Fragile::destroys_itself = true;
  request_moves();
  EXPECT_ERROR(system.run_until_quiet(), usage, "element (7) of \"elements\" cannot be destroyed now");
  expect_all_usable();
  Fragile::fails_in = Place::just_migrated;
  request_moves();
  system.run_until_quiet();
  expect_all_usable(n_elements - 1);
}

TEST_F(FailingElements, MayNotDestroyThemselvesWhileTheirLoadIsAsked) {
  Collection<Ephemeral> elements(system, {.bounds = {{system.rank_count()}}, .measured = false});
  EXPECT_ERROR(system.next_phase(), usage, "cannot be destroyed now");
  EXPECT_EQ(elements.local_count(), 1U);
}

/// Element whose load is invalid, or cannot be computed, if its position is 7.
struct Unloadable : Element<Unloadable> {
  static inline bool throws = false;
  double user_set_lb_load() override {
    if (index()[0] != 7) return 1;
    if (throws) throw std::runtime_error("it broke");
    return -1;
  }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST_F(FailingElements, AreNamedIfTheyHaveNoLoad) {
  Collection<Unloadable> loads(system, {.bounds = {{n_elements}}, .measured = false, .name = "loads"});
  Unloadable::throws = true;
  std::string expected = at_element_7("loads") + "it broke";
  EXPECT_ERROR(system.next_phase(), system, expected);
  Unloadable::throws = false;
  expected = at_element_7("loads") + "user_set_lb_load() returned an invalid time -1 s; return 0 or more";
  EXPECT_ERROR(system.next_phase(), usage, expected);
}

/// Element that reads less than it has written if its position is 7.
struct Careless : Element<Careless> {
  template <class Archive>
  void serialize(Archive& archive) {
    int value = 0;
    archive(value);
    if (!Archive::is_loading::value && index()[0] == 7) archive(value);
  }
};

TEST_F(FailingElements, AreNamedIfTheyReadLessThanTheyWrite) {
  if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  Collection<Careless> items(system, {.bounds = {{n_elements}}, .name = "items"});
  items.for_each_local([&](Careless& item) { item.migrate_to((system.rank() + 1) % system.rank_count()); });
  EXPECT_ERROR(system.run_until_quiet(), usage, at_element_7("items") + "serialize() reads 4 of 8 bytes");
}

}  // namespace
}  // namespace plimsoll::objects
