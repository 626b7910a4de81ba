#include <gmock/gmock.h>

#include <plimsoll/balance/apply_placement.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using testing::edges_on;
using ::testing::ElementsAre;
using testing::numbers_on;

/// Creates objects 0 (non-migratable, number 1), 1 (number 10) and 2 (11) on rank 0, and 3 (20) and 4 (21) on
/// rank 1. Rank 2 has no objects.
DatasetFactory three_ranks() {
  DatasetFactory factory(3);
  factory.task(0, 1, 0.5, false);
  factory.task(0, 10, 1, true, 0, R"({"a":1})");
  factory.task(0, 11, 2);
  factory.task(1, 20, 3);
  factory.task(1, 21, 4);
  factory.record(2);
  return factory;
}

TEST(ApplyPlacement, KeepsDataSetIfNothingMigrates) {
  DatasetFactory factory = three_ranks();
  factory.edge(0, factory.object(20), factory.object(10), 1);
  factory.edge(2, factory.object(20), factory.object(10), 2);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  EXPECT_TRUE(apply_placement(factory.dataset, phase, phase.stats.from_proc) == factory.dataset);
}

TEST(ApplyPlacement, RejectsPhaseOfAnotherDataSet) {
  DatasetFactory factory = three_ranks();
  const DatasetPhase before = load_phase(factory.dataset, 0);
  factory.edge(0, factory.object(20), factory.object(10), 1);
  EXPECT_ERROR(apply_placement(factory.dataset, before, before.stats.from_proc), usage,
               "5 objects and 0 edge objects, but the data set has 3 ranks, 5 tasks and 1 edges");

  DatasetPhase bad_edge = load_phase(factory.dataset, 0);
  bad_edge.edge_objects[0] = 5;
  EXPECT_ERROR(apply_placement(factory.dataset, bad_edge, bad_edge.stats.from_proc), usage, "does not match");

  DatasetPhase bad_task = load_phase(factory.dataset, 0);
  bad_task.locations[4] = {.rank = 1, .task = 2};
  EXPECT_ERROR(apply_placement(factory.dataset, bad_task, bad_task.stats.from_proc), usage, "does not match");
}

TEST(ApplyPlacement, RequiresPhaseWithEdgeObjects) {
  DatasetFactory factory = three_ranks();
  factory.edge(0, factory.object(20), factory.object(10), 1);
  const DatasetPhase phase = load_phase(factory.dataset, 0, {.edge_objects = false});
  EXPECT_TRUE(phase.edge_objects.empty());
  EXPECT_EQ(phase.stats.n_comm(), 1);
  EXPECT_ERROR(apply_placement(factory.dataset, phase, phase.stats.from_proc), usage,
               "use a phase loaded from this data set, with its edge objects");
}

TEST(ApplyPlacement, AppendsMigratedTasks) {
  const DatasetFactory factory = three_ranks();
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const std::vector<std::int32_t> to_proc = {0, 1, 0, 2, 0};
  const lbdata::Dataset result = apply_placement(factory.dataset, phase, to_proc);
  EXPECT_THAT(numbers_on(result, 0), ElementsAre(1, 11, 21));
  EXPECT_THAT(numbers_on(result, 1), ElementsAre(10));
  EXPECT_THAT(numbers_on(result, 2), ElementsAre(20));
  const lbdata::Tasks& moved = result.ranks[1].phases[0].tasks;
  EXPECT_EQ(moved.user_defined.at(0), R"({"a":1})");
  EXPECT_THAT(moved.node, ElementsAre(1));
  EXPECT_EQ(result.entities.home(moved.entity[0]), 0);
  EXPECT_THAT(moved.subphase_time_s, ElementsAre(1));
}

TEST(ApplyPlacement, MovesEdgesWithTheirTask) {
  DatasetFactory factory = three_ranks();
  factory.edge(0, factory.object(20), factory.object(10), 1);        // recorded by receiver 10
  factory.edge(0, factory.object(10), factory.object(20), 2);        // recorded by sender 10
  factory.edge(0, factory.object(10), factory.object(1, false), 3);  // to a group; recorded by sender 10
  factory.edge(0, factory.object(20), factory.object(1, false), 4);  // receiver stays
  factory.edge(0, factory.object(99), factory.object(11), 5);        // receiver stays
  factory.edge(1, factory.object(10), factory.object(11), 6);        // unrelated to the objects on this rank
  factory.edge(1, factory.object(11), factory.object(20), 7);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const std::vector<std::int32_t> to_proc = {0, 1, 0, 0, 1};
  const lbdata::Dataset result = apply_placement(factory.dataset, phase, to_proc);
  EXPECT_THAT(edges_on(result, 0), ElementsAre(4, 5, 7));
  EXPECT_THAT(edges_on(result, 1), ElementsAre(6, 1, 2, 3));
  EXPECT_FALSE(result.ranks[2].phases[0].communications);
}

TEST(ApplyPlacement, PreservesIdenticalPhases) {
  DatasetFactory factory = three_ranks();
  for (lbdata::RankData& rank : factory.dataset.ranks)
    rank.metadata.phases.emplace().identical_to_previous.range = {{1, 4}};
  const DatasetPhase phase = load_phase(factory.dataset, 2);
  const std::vector<std::int32_t> to_proc = {0, 1, 0, 1, 1};
  const lbdata::Dataset result = apply_placement(factory.dataset, phase, to_proc);
  for (const std::int64_t other : {0, 1, 3, 4}) {
    EXPECT_THAT(numbers_on(result, 0, other), ElementsAre(1, 10, 11)) << other;
    EXPECT_THAT(numbers_on(result, 1, other), ElementsAre(20, 21)) << other;
  }
  EXPECT_THAT(numbers_on(result, 0, 2), ElementsAre(1, 11));
  EXPECT_THAT(numbers_on(result, 1, 2), ElementsAre(20, 21, 10));
  // Phases 2 and 3 have separate records; 1 and 4 are identical to their predecessors. Rank 2 is unchanged.
  const auto& identical = result.ranks[0].metadata.phases->identical_to_previous;
  EXPECT_THAT(identical.range, ElementsAre(ElementsAre(1, 1), ElementsAre(4, 4)));
  EXPECT_EQ(result.ranks[0].phases.size(), 3u);
  EXPECT_EQ(result.ranks[2].phases.size(), 1u);
}

TEST(ApplyPlacement, RejectsInvalidPlacements) {
  const DatasetFactory factory = three_ranks();
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  struct Refused {
    std::vector<std::int32_t> placement;
    const char* text;
  };
  for (const Refused& refused : std::vector<Refused>{
           {{0, 1, 0, 2}, "the placement has 4 objects, but phase 0 has 5"},
           {{0, 1, 0, 2, 3}, "object 4 is placed on rank 3, but the data set has only 3 ranks"},
           {{0, 1, 0, 2, -1}, "object 4 is placed on rank -1, but the data set has only 3 ranks"},
           {{1, 0, 0, 1, 1}, "which is not migratable"}})
    EXPECT_ERROR(apply_placement(factory.dataset, phase, refused.placement), usage, refused.text);
}

TEST(ApplyPlacement, WritesDataSetThatLoadsAsSameStats) {
  DatasetFactory factory(5);
  Random random(3);
  for (std::uint64_t number = 1; number <= 200; ++number)
    factory.task(random.next() % 5, number, static_cast<double>(random.next() % 10), random.uniform() < 0.9);
  DatasetPhase phase = load_phase(factory.dataset, 0);
  for (int edge = 0; edge < 500; ++edge) {
    const std::size_t receiver = random.next() % 200;
    const auto entity = [&](std::size_t object) {
      const TaskLocation at = phase.locations[object];
      return factory.dataset.ranks[at.rank].phases[0].tasks.entity[at.task];
    };
    factory.edge(phase.locations[receiver].rank, entity(random.next() % 200), entity(receiver), edge);
  }
  phase = load_phase(factory.dataset, 0);
  std::vector<std::int32_t> to_proc = phase.stats.from_proc;
  for (std::size_t object = 0; object < to_proc.size(); ++object)
    if (phase.stats.obj_data[object].migratable)
      to_proc[object] = static_cast<std::int32_t>(random.next() % 5);

  const lbdata::Dataset result = apply_placement(factory.dataset, phase, to_proc);
  const DatasetPhase after = load_phase(result, 0);
  ASSERT_EQ(after.stats.n_objs(), phase.stats.n_objs());
  EXPECT_EQ(after.stats.n_comm(), phase.stats.n_comm());
  std::map<std::uint64_t, std::int32_t> expected;
  for (std::size_t object = 0; object < to_proc.size(); ++object) {
    const TaskLocation at = phase.locations[object];
    const lbdata::EntityIndex entity = factory.dataset.ranks[at.rank].phases[0].tasks.entity[at.task];
    expected[factory.dataset.entities.number(entity).bits] = to_proc[object];
  }
  for (std::size_t rank = 0; rank < 5; ++rank)
    for (const std::uint64_t number : numbers_on(result, rank))
      EXPECT_EQ(expected.at(number), static_cast<std::int32_t>(rank));
}

}  // namespace
}  // namespace plimsoll::balance
