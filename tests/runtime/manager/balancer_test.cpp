// Tests when a Balancer plans migrations, with which loads and strategy, and carries them out.
#include <set>
#include <string>

#include <plimsoll/runtime/balancer.hpp>

#include "runtime/manager/balanced_program.hpp"
#include "runtime/recording/spin.hpp"

namespace plimsoll::testing {
namespace {

using BalancerTest = BalancedRun;

TEST_F(BalancerTest, MigratesAtPhaseEnds) {
  BalancedProgram program(always());
  program.balancer.balance_at_phase_ends(program.store.transport());
  int hooks = 0;
  program.balancer.on_migration([&](const MigrationPlan& plan) { hooks += plan.empty() ? 0 : 1; });
  const PhaseSummary first = program.step();
  EXPECT_EQ(first.balancing.strategy, "GreedyLB");
  EXPECT_NEAR(first.balancing.rank_load_s.maximum(), all_loads_s / count, 12.0);
  EXPECT_EQ(first.balancing.rank_load_s.count(), std::uint64_t(count));
  EXPECT_EQ(first.balancing.migrations > 0, count > 1);
  EXPECT_EQ(hooks, count > 1 ? 1 : 0);

  const PhaseSummary second = program.step();
  EXPECT_NEAR(second.rank_load_s.maximum(), first.balancing.rank_load_s.maximum(), 1e-6)
      << "the phase has the placement that was decided before";
  EXPECT_EQ(total_of_ranks(static_cast<double>(program.store.objects.size())), BalancedProgram::n_objects);
  program.recorder.close();

  const lbdata::Dataset dataset = read();
  const lbdata::PhaseRecord& record = dataset.ranks[static_cast<std::size_t>(rank)].phases[1];
  std::set<std::uint64_t> expected = {
      static_cast<std::uint64_t>(program.recorder.id(program.recorder.rank_object()))};
  for (const ObjectId id : program.here()) expected.insert(static_cast<std::uint64_t>(id));
  EXPECT_EQ(ids_of(dataset, record), expected);
}

TEST_F(BalancerTest, PrefersRequestsOfTheProgramToTheStrategy) {
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  if (rank == 0)
    program.balancer.request({{BalancedProgram::id(3), 0, count - 1}, {BalancedProgram::id(5), 0, 0}});
  const PhaseSummary summary = program.step();
  EXPECT_EQ(summary.balancing.strategy, "RotateLB");
  EXPECT_EQ(summary.balancing.migrations, count > 1 ? BalancedProgram::n_objects - 1 : 0);
  EXPECT_EQ(program.store.objects.contains(BalancedProgram::id(3)), rank == count - 1);
  EXPECT_EQ(program.store.objects.contains(BalancedProgram::id(4)), rank == 1 % count);
  EXPECT_EQ(program.store.objects.contains(BalancedProgram::id(5)), rank == 0);
  program.step();  // without requests
  EXPECT_EQ(program.store.objects.contains(BalancedProgram::id(5)), rank == 1 % count);
  program.recorder.close();
}

TEST_F(BalancerTest, LetsTheProgramMigrate) {
  BalancedProgram program(always());
  const PhaseSummary first = program.step();
  EXPECT_TRUE(first.balancing.strategy.empty()) << "nothing migrates without functions of the program";
  const MigrationPlan plan = program.balancer.plan();
  EXPECT_EQ(plan.strategy, "GreedyLB");
  EXPECT_DOUBLE_EQ(plan.max_time_before_s, all_loads_s);
  program.move(plan);
  program.balancer.moved(plan);
  const PhaseSummary second = program.step();
  EXPECT_NEAR(second.rank_load_s.maximum(), plan.max_time_after_s, 1e-6);
  EXPECT_EQ(second.balancing.migrations, plan.moves) << "in the phase at whose beginning they took place";
  EXPECT_EQ(second.balancing.strategy, count > 1 ? "GreedyLB" : "");
  EXPECT_EQ(program.step().balancing.migrations, 0);
  program.recorder.close();
}

TEST_F(BalancerTest, FollowsGivenStrategyRegardlessOfSettings) {
  BalancedProgram program(settings());
  program.step();
  EXPECT_TRUE(program.balancer.plan().empty()) << "lb is off";
  const MigrationPlan plan = program.balancer.plan("RotateLB");
  EXPECT_EQ(plan.moves, count > 1 ? std::int64_t{BalancedProgram::n_objects} : 0);
  program.balancer.migrate(plan, program.store.transport());
  EXPECT_EQ(program.store.objects.empty(), rank != 1 % count);
  program.balancer.set_strategy("RotateLB");
  program.step();
  const MigrationPlan next = program.balancer.plan();
  EXPECT_EQ(next.exports.size(), rank == 1 && count > 1 ? BalancedProgram::n_objects : 0);
  program.recorder.close();
}

TEST_F(BalancerTest, EmptiesUnavailableRanks) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  for (const std::string condition : {"always", "pays", "1000"}) {
    Settings its = always("RefineLB", "data_" + condition);
    its.lb_when = condition;
    BalancedProgram program(its);
    program.balancer.balance_at_phase_ends(program.store.transport());
    program.balancer.set_available(rank != 0);
    program.step();
    EXPECT_TRUE(rank != 0 || program.store.objects.empty()) << condition;
    EXPECT_EQ(program.step().balancing.migrations, 0) << condition;
    program.recorder.close();
  }
}

TEST_F(BalancerTest, KeepsLastElementOfCollection) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings keeping = always("RotateLB");
  keeping.lb_keep_last_elm = true;
  BalancedProgram program(keeping);
  program.balancer.balance_at_phase_ends(program.store.transport());
  const PhaseSummary summary = program.step();
  EXPECT_EQ(summary.balancing.migrations, std::int64_t{BalancedProgram::n_objects} - 1);
  EXPECT_EQ(program.store.objects.size(), rank == 0 ? 1U : rank == 1 ? BalancedProgram::n_objects - 1 : 0U);
  program.recorder.close();
}

TEST_F(BalancerTest, PlansWithTheLoadsOfThePhaseThatEndedLast) {
  LoadRecorder recorder(MPI_COMM_WORLD, settings());
  for (std::uint64_t k = 0; k < 4; ++k) {
    const ObjectHandle object = recorder.register_object({.number = k});
    recorder.add_time(object, rank == 0 ? 2 : 0);
  }
  recorder.next_phase();
  Balancer balancer(recorder);  // has not seen the phase
  EXPECT_DOUBLE_EQ(balancer.plan("GreedyLB").max_time_before_s, 8);

  recorder.add_time(recorder.find(object_id(rank, 0)), rank == 0 ? 5 : 0);
  recorder.register_object({.number = 4});
  recorder.note(support::usage_error("a mistake of the program"));
  EXPECT_ERROR(recorder.next_phase(), usage, "a mistake of the program");
  EXPECT_DOUBLE_EQ(balancer.plan("GreedyLB").max_time_before_s, 5) << "a phase that was not balanced";
  recorder.close();
}

TEST_F(BalancerTest, KeepsCpuTimeBeforeItsCalls) {
  Settings its = settings();
  its.lb_loads = LoadTime::cpu;
  LoadRecorder recorder(MPI_COMM_WORLD, its);
  Balancer balancer(recorder);
  recorder.next_phase();
  const ObjectHandle object = recorder.register_object();
  recorder.begin(object);
  const auto start = runtime::Clock::cpu_nanoseconds();
  spin(0.01);
  const double spun_s = 1e-9 * static_cast<double>(runtime::Clock::cpu_nanoseconds() - start);
  balancer.plan("RotateLB");
  recorder.end(object);
  EXPECT_GE(recorder.get_obj_time(object), 0.98 * spun_s);
  recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
