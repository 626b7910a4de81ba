// Tests what migrated objects keep, and what is known about them.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
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

namespace {

using RecordedMigrations = BalancedRun;

TEST_F(RecordedMigrations, PacksAndUnpacksInPlace) {
  Settings in_place = always("TestSerializationLB");
  in_place.lb_self_migration = true;
  BalancedProgram program(in_place);
  std::size_t unpacked = 0;
  runtime::ObjectTransport transport = program.store.transport();
  transport.unpack = [&, unpack = transport.unpack](ObjectId id, std::span<const std::byte> bytes) {
    ++unpacked;
    return unpack(id, bytes);
  };
  program.balancer.balance_at_phase_ends(transport);
  const PhaseSummary summary = program.step();
  EXPECT_EQ(unpacked, rank == 0 ? BalancedProgram::n_objects : 0);
  EXPECT_EQ(summary.balancing.migrations, std::int64_t{BalancedProgram::n_objects});
  EXPECT_GT(summary.balancing.decision_s, 0);
  program.step();
  program.recorder.close();
}

// Runs RotateLB, then follows its data with OfflineLB.
TEST_F(RecordedMigrations, RepeatsRecordedMigrations) {
  constexpr int phases = 6;
  const auto run = [&](const Settings& its) {
    BalancedProgram program(its);
    program.balancer.balance_at_phase_ends(program.store.transport());
    std::vector<std::set<ObjectId>> here;
    for (int phase = 0; phase < phases; ++phase) {
      here.push_back(program.here());
      const PhaseSummary summary = program.step();
      EXPECT_TRUE(summary.balancing.strategy.empty() || summary.balancing.decision_s > 0);
    }
    program.recorder.close();
    return here;
  };
  const auto rotated = run(always("RotateLB", "rotated"));
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/rotated";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(offline), rotated) << "the data are compressed";
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::Not(::testing::HasSubstr("does not fit")));

  offline.lb_data_dir = folder + "/lost";
  if (rank == count - 1) std::filesystem::remove(fmt::format("{}/rotated/data.{}.json.br", folder, rank));
  EXPECT_ERROR(run(offline), bad_input, fmt::format("{}/rotated/data.{}.json: ", folder, count - 1));
  EXPECT_ERROR(run(offline), bad_input,
               "missing recording; use a recording with at least as many ranks as this run");
}

TEST_F(RecordedMigrations, TellOnceThatTheRecordingHasOtherObjects) {
  const auto run = [&](const Settings& its, std::uint64_t without) {
    BalancedProgram program(its);
    program.balancer.balance_at_phase_ends(program.store.transport());
    const ObjectId other = BalancedProgram::id(without);
    if (program.store.objects.erase(other) > 0) program.recorder.remove_object(program.recorder.find(other));
    for (int phase = 0; phase < 4; ++phase) program.step();
    program.recorder.close();
  };
  run(always("RotateLB", "other"), 3);
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/other";
  ::testing::internal::CaptureStderr();
  run(offline, 5);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  const std::string warning =
      "OfflineLB: the recording of phase 1 does not fit this run: 1 of its objects do not exist here, and 1 "
      "objects of this run are not in it";
  if (rank != 0 || count == 1) return;  // one rank never migrates
  EXPECT_THAT(printed, ::testing::HasSubstr(warning));
  EXPECT_EQ(printed.find("does not fit"), printed.rfind("does not fit"));
}

TEST_F(RecordedMigrations, FollowsRecordedPhasesOfSpecification) {
  constexpr int phases = 7;
  if (rank == 0) std::ofstream(folder + "/specification") << "0 0 1\n4 0 2\n";  // phases 0, 1, 4, 5 and 6
  Settings sparse = always("RotateLB", "sparse");
  sparse.lb_data_compress = false;
  sparse.lb_spec = true;
  sparse.lb_spec_file = folder + "/specification";
  {
    BalancedProgram program(sparse);
    program.balancer.balance_at_phase_ends(program.store.transport());
    for (int phase = 0; phase < phases; ++phase) program.step();
    program.recorder.close();
  }
  Settings offline = always("OfflineLB", "followed");
  offline.lb_data_in = true;
  offline.lb_data_dir_in = folder + "/sparse";
  BalancedProgram program(offline);
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<int> place = {0, 1, 1, 1, 4, 5, 6};  // rotations that the recording shows at each phase
  for (int phase = 0; phase < phases; ++phase) {
    EXPECT_EQ(program.store.objects.empty(), rank != place[static_cast<std::size_t>(phase)] % count) << phase;
    program.step();
  }
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
