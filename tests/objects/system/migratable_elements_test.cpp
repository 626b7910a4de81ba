// Elements that choose whether they migrate, and their loads: measured, set by the element, or computed by
// its function.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include <plimsoll/objects.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "common/throws_error.hpp"
#include "objects/system/element_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {
namespace {

constexpr std::int64_t n_blocks = 24;

/// Element that does not migrate if its position is a multiple of 3.
struct Block : Element<Block> {
  Block() {
    if (is_fixed()) set_migratable(false);
  }
  bool is_fixed() const { return index()[0] % 3 == 0; }
  void work() { set_obj_time(1); }
  void release() { set_migratable(true); }
  void go(int rank) { migrate_to(rank); }
  void go_and_stay(int rank) {
    migrate_to(rank);
    set_migratable(false);
  }

  template <class Archive>
  void serialize(Archive&) {}
};

struct MigratableElements : plimsoll::testing::RecordedElements {
  /// Returns whether the last phase of this rank's data contains an element as migratable.
  std::map<std::uint64_t, bool> migratable_in_data() const {
    const lbdata::EntityTable& entities = recorder.node_lb_data().entities();
    std::map<std::uint64_t, bool> migratable;
    for (const lbdata::EntityIndex entity : recorder.node_lb_data().phases().back().tasks.entity)
      migratable[entities.number(entity).bits] = entities.migratable(entity);
    return migratable;
  }
};

TEST_F(MigratableElements, StayIfTheyMust) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}});
  system.balancer().set_strategy("RotateLB");
  for (int phase = 1; phase <= 3; ++phase) {
    blocks.for_each_local([](Block& block) { block.work(); });
    system.next_phase();
    blocks.for_each_local([&](const Block& block) {
      const int hops = block.is_fixed() ? 0 : phase;
      EXPECT_EQ((blocks.home(block.index()) + hops) % system.rank_count(), system.rank());
      EXPECT_EQ(block.is_migratable(), !block.is_fixed());
    });
    EXPECT_EQ(recorder.communicator().sum(static_cast<std::int64_t>(blocks.local_count())), n_blocks);
  }
}

TEST_F(MigratableElements, AreMarkedInTheData) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}});
  system.next_phase();
  const auto migratable = migratable_in_data();
  blocks.for_each_local([&](const Block& block) {
    EXPECT_EQ(migratable.at(static_cast<std::uint64_t>(block.id())), !block.is_fixed());
  });
  EXPECT_EQ(migratable.size(), blocks.local_count() + 1);  // and the rank
}

TEST_F(MigratableElements, KeepTheirPositionsInTheData) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}});
  system.next_phase();
  const lbdata::EntityTable& entities = recorder.node_lb_data().entities();
  for (const lbdata::EntityIndex entity : recorder.node_lb_data().phases().back().tasks.entity) {
    if (entities.index(entity).size() == 0) continue;  // the rank itself
    const std::int64_t position = entities.index(entity)[0];
    const Block* const block = position >= 0 && position < n_blocks ? blocks.find({position}) : nullptr;
    ASSERT_NE(block, nullptr) << position;
    EXPECT_EQ(entities.number(entity).bits, static_cast<std::uint64_t>(block->id()));
  }
}

TEST_F(MigratableElements, CanBeReleased) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}});
  blocks.for_each_local([](Block& block) { block.release(); });
  for (int k = 0; k < 2; ++k) {  // constructors on other ranks do not fix them again
    blocks.for_each_local([&](Block& block) { block.go(next_rank()); });
    system.next_phase();
  }
  blocks.for_each_local([&](const Block& block) {
    EXPECT_TRUE(block.is_migratable());
    EXPECT_EQ((blocks.home(block.index()) + 2) % system.rank_count(), system.rank());
  });
  for (const auto& [id, is_migratable] : migratable_in_data())
    EXPECT_EQ(is_migratable, id != static_cast<std::uint64_t>(recorder.id(recorder.rank_object())));
}

TEST_F(MigratableElements, RejectRequestsWhileTheyMustStay) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}});
  if (system.rank() == 0) blocks[{3}].send<&Block::go>(0);
  EXPECT_ERROR(system.run_until_quiet(), usage, "element (3) of \"elements\" is not migratable");
  blocks.for_each_local([&](Block& block) {
    if (!block.is_fixed()) block.go_and_stay(next_rank());
  });
  system.next_phase();
  blocks.for_each_local([&](const Block& block) { EXPECT_EQ(blocks.home(block.index()), system.rank()); });
}

TEST_F(MigratableElements, NeedAMigratableCollection) {
  Collection<Block> blocks(system, {.bounds = {{n_blocks}}, .migratable = false});
  ObjGroup<Block> group(system, "group");
  EXPECT_FALSE(group.local().is_migratable());
  EXPECT_ERROR(group.local().release(), usage, "cannot become migratable, because its collection is not");
  EXPECT_ERROR(group.local().go(0), usage, "is not migratable");
  blocks.for_each_local([](Block& block) {
    EXPECT_ERROR(block.release(), usage, "cannot become migratable, because its collection is not");
  });
  system.next_phase();
}

}  // namespace

namespace {

/// Element whose load is its position + 1 s, which it tells in one of three ways, or which is measured.
struct Worker : Element<Worker> {
  Worker() { uses_auto_measure(false); }
  void set_load() { set_obj_time(load_s()); }
  void measure(bool is_on) { uses_auto_measure(is_on); }
  void spin() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  void go(int rank) { migrate_to(rank); }
  double load_s() const { return static_cast<double>(index()[0] + 1); }

  template <class Archive>
  void serialize(Archive&) {}
};

struct ModelledWorker : Element<ModelledWorker> {
  void spin() { static_cast<void>(this); }
  double user_set_lb_load() override { return 10 * static_cast<double>(index()[0]); }
};

struct ElementLoads : plimsoll::testing::RecordedElements {
  std::map<std::int64_t, double> loads_s() const { return plimsoll::testing::element_loads_s(recorder); }
};

TEST_F(ElementLoads, AreThoseOfSetObjTimeWithoutMeasurement) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.broadcast<&Worker::spin>();
  workers.for_each_local([](Worker& worker) {
    if (worker.index()[0] % 3 != 0) worker.set_load();
    EXPECT_EQ(worker.get_obj_time(), worker.index()[0] % 3 == 0 ? 0 : worker.load_s());
  });
  system.next_phase();
  for (const auto& [index, load_s] : loads_s())
    EXPECT_EQ(load_s, index % 3 == 0 ? 0 : static_cast<double>(index + 1)) << index;
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_EQ(load_s, 0) << "a load is that of one phase";
}

/// Member of a group whose load is its rank + 1 s, and which takes part in at_sync().
struct ModelledMember : Element<ModelledMember> {
  int n_resumed = 0;
  ModelledMember() { uses_auto_measure(false); }
  double user_set_lb_load() override { return static_cast<double>(index()[0] + 1); }
  void synchronise() { at_sync(); }
  void resume_from_sync() override { ++n_resumed; }
};

TEST_F(ElementLoads, OfMembersOfGroupsAreThoseOfUserSetLbLoad) {
  ObjGroup<ModelledMember> unused(system, "unused");
  ObjGroup<ModelledMember> group(system, "modelled");
  group.local().synchronise();
  unused.local().synchronise();
  system.run_until_quiet();
  EXPECT_EQ(group.local().n_resumed, 1);
  const lbdata::Tasks& tasks = recorder.node_lb_data().phases().back().tasks;
  EXPECT_EQ(std::ranges::count(tasks.time_s, static_cast<double>(system.rank() + 1)), 2);
}

TEST_F(ElementLoads, AreMeasuredForSomeElementsOnly) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.for_each_local([](Worker& worker) { worker.measure(worker.index()[0] % 2 == 0); });
  for (int round = 0; round < 2; ++round) {  // the choice migrates
    if (system.rank() == 0) workers.broadcast<&Worker::spin>();
    system.next_phase();
    for (const auto& [index, load_s] : loads_s()) {
      if (index % 2 == 0)
        EXPECT_GE(load_s, 0.0019);
      else
        EXPECT_EQ(load_s, 0);
    }
    workers.for_each_local([&](Worker& worker) { worker.go(next_rank()); });
    system.run_until_quiet();
  }
}

TEST_F(ElementLoads, CanBeReplacedAndReadWhileMeasured) {
  Collection<Worker> workers(system, {.bounds = {{9}}});
  workers.for_each_local([](Worker& worker) { worker.measure(true); });
  if (system.rank() == 0) workers.broadcast<&Worker::spin>();
  system.run_until_quiet();
  workers.for_each_local([](Worker& worker) {
    EXPECT_GE(worker.get_obj_time(), 0.0019);
    worker.set_load();
  });
  if (system.rank() == 0) workers.broadcast<&Worker::spin>();
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_GE(load_s, static_cast<double>(index + 1) + 0.0019);
}

TEST_F(ElementLoads, AreThoseOfTheUserFunctionWithoutMeasurement) {
  Collection<ModelledWorker> workers(system, {.bounds = {{9}}, .measured = false});
  workers.broadcast<&ModelledWorker::spin>();
  system.next_phase();
  for (const auto& [index, load_s] : loads_s()) EXPECT_EQ(load_s, 10 * static_cast<double>(index));
}

}  // namespace
}  // namespace plimsoll::objects
