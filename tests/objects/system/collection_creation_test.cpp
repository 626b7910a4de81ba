// Creation of collections: homes of the elements, and what their constructors know.

#include <cereal/types/vector.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <plimsoll/objects.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

struct Item : Element<Item> {
  int received = 0;
  void receive() { ++received; }
};

class UnequalMaps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (system.rank_count() == 1) GTEST_SKIP() << "needs two ranks";
  }
  /// Creates a collection with a map. Collective.
  void create(const InitialMap& map, bool is_dense = true, std::int64_t size = 20) {
    const Collection<Item> items(system,
                                 {.bounds = {{size}}, .is_dense = is_dense, .map = map, .name = "items"});
  }
  /// Returns a map that sends element 7 to this rank, and all others to rank 0.
  InitialMap seven_here() const {
    return [here = system.rank()](std::uint64_t number, auto...) { return number == 7 ? here : 0; };
  }
  /// Expects that the system works.
  void expect_usable() {
    Collection<Item> items(system, {.bounds = {{20}}});
    items.broadcast<&Item::receive>();
    system.next_phase();
    items.for_each_local([&](const Item& item) { EXPECT_EQ(item.received, system.rank_count()); });
  }

  LoadRecorder recorder{MPI_COMM_WORLD, {.lb_quiet = true, .lb_check = true}};
  ObjectSystem system{recorder};
};

constexpr const char* homes_differ =
    "the map of the collection \"items\" returns different ranks when different ranks call it; use a map "
    "whose "
    "result depends only on its arguments";

TEST_F(UnequalMaps, AreErrorsOnAllRanks) {
  const InitialMap own_rank = [here = system.rank()](auto...) { return here; };
  const InitialMap shifted = [here = system.rank()](std::uint64_t number, auto, int ranks) {
    return static_cast<int>((number + static_cast<std::uint64_t>(here)) % static_cast<std::uint64_t>(ranks));
  };
  for (const bool is_dense : {true, false})
    for (const InitialMap& map : {own_rank, shifted, seven_here()})
      EXPECT_ERROR(create(map, is_dense), usage, homes_differ);
  EXPECT_ERROR(create(system.rank() == 0 ? round_robin_map : hash_map), usage, homes_differ);
  EXPECT_ERROR(create(own_rank, false, std::int64_t{1} << 36), usage, homes_differ);
  expect_usable();
}

TEST_F(UnequalMaps, AreComparedForAllPositionsOfDenseCollections) {
  EXPECT_ERROR(create(seven_here(), true, 100'000), usage, homes_differ);
}

TEST_F(UnequalMaps, AreFoundWhenAnElementIsInserted) {
  const InitialMap map = [here = system.rank()](std::uint64_t number, auto...) {
    return number == 7 && here == 0 ? 1 : 0;
  };
  Collection<Item> items(
      system, {.bounds = {{std::int64_t{1} << 36}}, .is_dense = false, .map = map, .name = "items"});
  if (system.rank() == 0) items.insert({7});
  EXPECT_ERROR(system.run_until_quiet(), usage,
               "element (7) of \"items\": the map of the collection \"items\" returns different ranks");
}

TEST_F(UnequalMaps, MayReturnInvalidRanksOnSomeRanks) {
  const InitialMap map = [here = system.rank()](auto...) { return here == 1 ? -1 : 0; };
  EXPECT_ERROR(create(map), usage, "invalid rank -1 from the map of the collection \"items\"");
  expect_usable();
}

/// Element that notes how many elements exist when it is constructed.
struct Census : Element<Census> {
  std::uint64_t count_in_constructor = collection().count();
  template <class Archive>
  void serialize(Archive&) {}
};

struct GroupCensus : Element<GroupCensus> {
  std::uint64_t count_in_constructor = collection().count();
};

TEST(ElementConstructors, KnowTheNumberOfElements) {
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  ObjectSystem system(recorder);
  Collection<Census> dense(system, {.bounds = {{30}}});
  EXPECT_EQ(dense.count(), 30U);
  dense.for_each_local([](const Census& element) { EXPECT_EQ(element.count_in_constructor, 30U); });
  ObjGroup<GroupCensus> group(system, "group");
  EXPECT_EQ(group.local().count_in_constructor, system.rank_count());

  Collection<Census> sparse(system, {.bounds = {{30}}, .is_dense = false});
  EXPECT_EQ(sparse.count(), 0U);
  for (const std::int64_t position : {4, 9}) {
    if (system.rank() == 0) sparse.insert({position});
    system.run_until_quiet();
  }
  EXPECT_EQ(sparse.count(), 2U);
  sparse.for_each_local([](const Census& element) {
    EXPECT_EQ(element.count_in_constructor, element.index()[0] == 4 ? 0U : 1U);
  });
}

/// Element whose constructor sends messages to elements that are created later, and to itself.
struct Eager : Element<Eager> {
  static constexpr std::int64_t size = 20;
  static constexpr std::size_t large = 10'000;  // numbers that a message does not copy

  int received = 0;
  std::size_t n_values = 0;

  explicit Eager(bool has_others = true) {
    proxy().send<&Eager::receive>();
    if (!has_others) return;
    const std::int64_t next = (index()[0] + 1) % size;
    collection()[{next}].send<&Eager::receive>();
    collection()[{next}].send<&Eager::keep>(1.5, std::vector<double>(large, 2.5));
    collection().section({{next}, {size - 1}}).broadcast<&Eager::receive>();
  }
  void receive() { ++received; }
  void keep(double first, const std::vector<double>& values) {
    if (first == 1.5 && values.front() == 2.5 && values.back() == 2.5) n_values += values.size();
  }
};

TEST(ElementConstructors, SendMessagesToElementsThatAreCreatedLater) {
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  ObjectSystem system(recorder);
  for (const InitialMap& map : {InitialMap(block_map), InitialMap(round_robin_map), InitialMap(hash_map)}) {
    Collection<Eager> elements(system, {.bounds = {{Eager::size}}, .map = map});
    system.run_until_quiet();
    elements.for_each_local([](const Eager& element) {
      const bool is_last = element.index()[0] == Eager::size - 1;
      // Itself, its predecessor twice; all others, too, if it is the last one.
      EXPECT_EQ(element.received, is_last ? 2 + Eager::size : 3);
      EXPECT_EQ(element.n_values, Eager::large);
    });
  }
}

TEST(ElementConstructors, SendMessagesToTheInsertedElement) {
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  ObjectSystem system(recorder);
  Collection<Eager> elements(system, {.bounds = {{Eager::size}}, .is_dense = false});
  if (system.rank() == 0)
    for (std::int64_t position = 0; position < Eager::size; ++position) elements.insert({position}, false);
  system.run_until_quiet();
  EXPECT_EQ(elements.count(), static_cast<std::uint64_t>(Eager::size));
  elements.for_each_local([](const Eager& element) { EXPECT_EQ(element.received, 1); });
}

TEST(ElementConstructors, ThatThrowLeaveNoRequests) {
  struct Failing : Element<Failing> {
    Failing() {
      use_at_sync();
      migrate_to(0);
      throw std::runtime_error("it broke");
    }
  };
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  ObjectSystem system(recorder);
  Collection<Failing> failing(system, {.bounds = {{30}}, .is_dense = false});
  if (system.rank() == 0) failing.insert({3});
  EXPECT_ERROR(system.run_until_quiet(), system, "it broke");
  EXPECT_EQ(system.next_phase().balancing.migrations, 0);
}

TEST(ElementConstructors, ThatThrowLeaveNoCount) {
  struct Failing : Element<Failing> {
    Failing() {
      if (index()[0] == 3) throw std::runtime_error("it broke");
    }
  };
  LoadRecorder recorder(MPI_COMM_WORLD, {.lb_quiet = true});
  ObjectSystem system(recorder);
  const auto create = [&] { const Collection<Failing> failing(system, {.bounds = {{30}}}); };
  EXPECT_ERROR(create(), system, "it broke");
  Collection<Census> next(system, {.bounds = {{30}}});
  EXPECT_EQ(next.count(), 30U);
  system.run_until_quiet();
}

}  // namespace

namespace {

constexpr std::int64_t n_points = 24;

std::int64_t place_of(std::int64_t index) {
  return 7 * index % n_points;
}

/// Element on a line. The constructor of elements that have migrated does not set a position.
struct Point : Element<Point> {
  Point() = default;
  explicit Point(double spacing) {
    set_position(std::array{spacing * static_cast<double>(place_of(index()[0]))});
  }
  template <class Archive>
  void serialize(Archive&) {}
};

TEST(ElementPositions, AreKnownToStrategiesAndMigrateAlong) {
  LoadRecorder recorder(
      MPI_COMM_WORLD,
      {.lb = true, .lb_name = "OrbLB", .lb_run_lb_first_phase = true, .lb_quiet = true, .lb_when = "always"});
  ObjectSystem system(recorder);
  Collection<Point> points(system, {.bounds = {{n_points}}}, 0.5);
  // Number of neighbours on the line that are on different ranks.
  const auto cuts = [&] {
    std::vector<std::int64_t> ranks(n_points);
    points.for_each_local([&](const Point& point) { ranks[place_of(point.index()[0])] = system.rank(); });
    int count = 0;
    for (std::size_t k = 0; k < n_points; ++k) {
      ranks[k] = recorder.communicator().sum(ranks[k]);
      if (k > 0 && ranks[k] != ranks[k - 1]) ++count;
    }
    return count;
  };
  for (const int rank : {0, system.rank_count() - 1}) {
    points.for_each_local([&](Point& point) { point.migrate_to(rank); });
    system.run_until_quiet();
    points.for_each_local([](Point& point) { point.set_obj_time(1); });
    system.next_phase();
    EXPECT_EQ(cuts(), system.rank_count() - 1);
  }
}

}  // namespace
}  // namespace plimsoll::objects
