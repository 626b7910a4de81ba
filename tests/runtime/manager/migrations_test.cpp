// Tests what migrated objects keep, and what is known about them.
#include <vector>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using Migrations = BalancedRun;

TEST_F(Migrations, MovesValuesPositionsAndHistoryWithObjects) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings with_history = always("RotateLB");
  with_history.lb_load_model = "LinearModel(length=5)";
  BalancedProgram program(with_history);
  program.balancer.balance_at_phase_ends(program.store.transport());
  if (rank == 0) {
    const ObjectHandle object = program.recorder.find(BalancedProgram::id(3));
    program.recorder.set_value(object, UserValueKind::user_defined, "cells", std::int64_t{64});
    program.recorder.set_value(object, UserValueKind::attributes, "weight", 1.5);
    program.recorder.set_position(object, std::vector<double>{0.25, 0.75});
  }
  // The loads of the objects rise by a tenth in every phase. The linear model predicts them only if it knows
  // the phases on other ranks.
  for (int phase = 0; phase < 5; ++phase) {
    for (const ObjectId id : program.here())
      program.recorder.add_time(program.recorder.find(id), 1 + 0.1 * phase);
    const PhaseSummary summary = program.recorder.next_phase();
    if (phase < 1) continue;
    EXPECT_NEAR(summary.object_load_modeled_s.maximum(), 1 + 0.1 * (phase + 1), 1e-9);
  }
  program.recorder.close();
  const lbdata::Dataset dataset = read();
  const int at = 4 % count;  // rank of the objects in phase 4
  const lbdata::PhaseRecord& record = dataset.ranks[static_cast<std::size_t>(at)].phases[4];
  const auto task = task_of(dataset, record, BalancedProgram::id(3));
  ASSERT_TRUE(task);
  EXPECT_EQ(record.tasks.user_defined.at(*task), R"({"cells":64,"position":[0.25,0.75]})");
  EXPECT_EQ(record.tasks.attributes.at(*task), R"({"weight":1.5})");
  EXPECT_EQ(dataset.entities.index(record.tasks.entity[*task])[0], 3);
}

TEST_F(Migrations, BringsBackOnlyTheValuesThatObjectsStillHave) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  const ObjectId id = BalancedProgram::id(3);
  const auto migrate = [&](int from, int to) {
    MigrationPlan plan{.moves = 1};
    if (rank == from) plan.exports = {{id, from, to}};
    if (rank == to) plan.imports = {{id, from, to}};
    program.balancer.migrate(plan, program.store.transport());
  };
  const auto object = [&] { return program.recorder.find(id); };
  if (rank == 0) program.recorder.set_value(object(), UserValueKind::attributes, "weight", 1.5);
  migrate(0, 1);
  if (rank == 1) program.recorder.remove_value(object(), UserValueKind::attributes, "weight");
  migrate(1, 0);
  EXPECT_FALSE(program.recorder.value(object(), UserValueKind::attributes, "weight"));
  program.recorder.close();
}

TEST_F(Migrations, KnowsOwnersAfterMigrations) {
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<ObjectId> ids = {BalancedProgram::id(0), BalancedProgram::id(5), object_id(0, 1000)};
  for (int phase = 0; phase < 3; ++phase) {
    EXPECT_EQ(program.balancer.owner(ids), (std::vector<int>{phase % count, phase % count, -1}));
    program.step();
  }
  program.recorder.close();
}

TEST_F(Migrations, KnowsLoadsOfObjectsThatAreNewOrHaveArrived) {
  BalancedProgram program(settings());
  program.step();
  if (rank == 0) {  // refines object 23 of 24 s
    const ObjectHandle parent = program.recorder.find(BalancedProgram::id(23));
    for (std::uint64_t k = 100; k < 104; ++k)
      program.recorder.inherit(parent, program.recorder.register_object(object_id(0, k), {}), 0.25);
    program.recorder.remove_object(parent);
    program.store.objects.erase(BalancedProgram::id(23));
    for (std::uint64_t k = 100; k < 104; ++k) program.store.objects[object_id(0, k)] = {};
  }
  const MigrationPlan plan = program.balancer.plan("GreedyLB");
  EXPECT_DOUBLE_EQ(plan.max_time_before_s, all_loads_s);
  program.balancer.migrate(plan, program.store.transport());
  const MigrationPlan next = program.balancer.plan("GreedyLB");
  EXPECT_NEAR(next.max_time_before_s, plan.max_time_after_s, 1e-9) << "the objects have arrived with loads";
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
