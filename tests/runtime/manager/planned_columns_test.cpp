#include <gmock/gmock.h>

#include <map>

#include <plimsoll/balance/decision.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;

using PlannedColumns = BalancedRun;

TEST_F(PlannedColumns, ObeysLimitsOnSizesAmongUserValues) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  for (const ObjectId id : program.here())
    program.recorder.set_value(program.recorder.find(id), UserValueKind::user_defined,
                               "task_serialized_bytes", 100.0);
  program.step();
  EXPECT_EQ(program.balancer.plan("GreedyLB(max_moved_bytes=250)").moves, 2);
  program.recorder.close();
}

TEST_F(PlannedColumns, ContainsObjectsThatHaveBecomeFixedSinceThePhaseEnd) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  program.step();
  const std::uint64_t first_fixed = BalancedProgram::n_objects / 2;
  const auto fix = [&](bool is_fixed) {
    for (const ObjectId id : program.here())
      if (BalancedProgram::number(id) >= first_fixed)
        program.recorder.set_migratable(program.recorder.find(id), !is_fixed);
  };
  fix(true);
  const MigrationPlan plan = program.balancer.plan("GreedyLB");
  EXPECT_DOUBLE_EQ(plan.max_time_before_s, all_loads_s);
  EXPECT_DOUBLE_EQ(plan.max_time_after_s, 222);  // 13 + 14 + ... + 24
  EXPECT_EQ(plan.moves, static_cast<std::int64_t>(first_fixed));
  for (const Move& move : plan.exports) EXPECT_LT(BalancedProgram::number(move.object), first_fixed);
  fix(false);
  EXPECT_LT(program.balancer.plan("GreedyLB").max_time_after_s, 222);
  program.recorder.close();
}

// The data files contain what the strategies saw in the program.
TEST_F(PlannedColumns, PlansLikePlimsollBalanceWithTheDataOfThePhase) {
  BalancedProgram program(settings());
  for (const ObjectId id : program.here()) {
    const ObjectHandle object = program.recorder.find(id);
    const std::uint64_t number = BalancedProgram::number(id);
    const auto set = [&](const char* name, double value) {
      program.recorder.set_value(object, UserValueKind::user_defined, name, value);
    };
    set("shared_id", static_cast<double>(number % 8));
    set("shared_bytes", 1000);
    set("home_rank", static_cast<double>(static_cast<int>(number) % count));
    set("task_footprint_bytes", 10 + static_cast<double>(number));
    const ObjectId neighbour = BalancedProgram::id((number + 1) % BalancedProgram::n_objects);
    program.recorder.record_message(id, neighbour, 1000 * number, 3);
  }
  program.balancer.migrate((program.step(), program.balancer.plan("RandomLB")), program.store.transport());
  program.step();
  const std::vector<std::string> strategies = {
      "GreedyLB", "RefineLB",      "ClusterLB(delta=1e-3, effort=20000)", "GraphPartLB", "CommAwareRefineLB",
      "OrbLB",    "HierarchicalLB"};
  std::vector<std::map<ObjectId, int>> online;
  for (const std::string& strategy : strategies) {
    std::map<ObjectId, int>& exports = online.emplace_back();
    for (const Move& move : program.balancer.plan(strategy).exports) exports[move.object] = move.to;
  }
  program.recorder.close();

  const lbdata::Dataset dataset = read();
  for (std::size_t k = 0; k < strategies.size(); ++k) {
    const auto spec = balance::StrategySpec::parse(strategies[k]);
    const balance::Decision offline = balance::decide(dataset, spec, {.phase = 1});
    std::map<ObjectId, int> exports;
    const balance::LDStats& stats = offline.phase.stats;
    for (std::size_t object = 0; object < stats.numbers.size(); ++object)
      if (stats.from_proc[object] == rank && stats.to_proc[object] != rank)
        exports[ObjectId{stats.numbers[object]}] = stats.to_proc[object];
    EXPECT_EQ(online[k], exports) << strategies[k];
  }
}

TEST_F(PlannedColumns, ContainsSubphasesIfTheRanksSynchronise) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings synchronised = settings();
  synchronised.lb_subphases = SubphaseMode::synchronised;
  BalancedProgram program(synchronised);
  for (const ObjectId id : program.here()) {
    program.recorder.set_subphase(static_cast<int>(BalancedProgram::number(id) % 3));
    program.recorder.add_time(program.recorder.find(id), 5);
  }
  program.recorder.leave_subphase();
  program.step();  // adds time outside of subphases
  const MigrationPlan plan = program.balancer.plan("GreedyLB");
  EXPECT_THAT(program.balancer.plan("HierarchicalLB").remark, HasSubstr("ignores lb_subphases=synchronised"));
  program.recorder.close();

  const balance::Decision offline = balance::decide(read(), balance::StrategySpec{.name = "GreedyLB"},
                                                    {.phase = 0, .columns = {.subphases = true}});
  EXPECT_NEAR(plan.max_time_before_s, all_loads_s + 5 * BalancedProgram::n_objects, 1e-9);
  EXPECT_NEAR(plan.max_time_after_s, offline.result.quality.max_time_s, 1e-9);
  EXPECT_EQ(plan.moves, offline.result.quality.n_moved);
}

TEST_F(PlannedColumns, UsesIndicesAsPositionsWithoutOthers) {
  BalancedProgram program(settings());
  program.step();
  const MigrationPlan plan = program.balancer.plan("OrbLB");
  program.balancer.migrate(plan, program.store.transport());
  // A box in one dimension is a range of indices.
  std::set<std::uint64_t> numbers;
  for (const ObjectId id : program.here()) numbers.insert(BalancedProgram::number(id));
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(*numbers.rbegin() - *numbers.begin() + 1, numbers.size());
  program.recorder.close();
}

TEST_F(PlannedColumns, RequiresPositionsOfAllMigratableObjectsOrOfNone) {
  BalancedProgram program(settings());
  if (rank == 0)
    program.recorder.register_object({.index = {100}, .migratable = false});  // stays, like the rank object
  for (const ObjectId id : program.here())
    if (BalancedProgram::number(id) != 5)
      program.recorder.set_position(program.recorder.find(id), std::vector{1.0, 2.0});
  program.step();
  EXPECT_ERROR(
      program.balancer.plan("OrbLB"), usage,
      "object 5 of home rank 0 (ID 1572867) has no position, but other objects on its rank have; call "
      "set_position() for all migratable objects, or for none");
  if (rank == 0)
    program.recorder.set_position(program.recorder.find(BalancedProgram::id(5)), std::vector{1.0, 2.0});
  program.balancer.plan("OrbLB");
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
