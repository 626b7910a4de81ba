// Elements that choose whether they migrate.
#include <gtest/gtest.h>

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
}  // namespace plimsoll::objects
