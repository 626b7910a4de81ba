#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/runtime/balancer.hpp>
#include <plimsoll/support/text_file.hpp>

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

TEST_F(BalancerTest, RejectsInvalidRequests) {
  BalancedProgram program(settings());
  program.balancer.balance_at_phase_ends(program.store.transport());
  if (rank == 0) program.balancer.request({{BalancedProgram::id(3), 0, count}});
  EXPECT_ERROR(program.step(), usage, "in a request to migrate");
  program.balancer.request({{BalancedProgram::id(99), rank, 0}});
  EXPECT_ERROR(program.step(), usage, "is requested to migrate, but not registered on this rank");
  EXPECT_EQ(program.step().balancing.migrations, 0);
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

TEST_F(BalancerTest, MovesValuesPositionsAndHistoryWithObjects) {
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

TEST_F(BalancerTest, BringsBackOnlyTheValuesThatObjectsStillHave) {
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

TEST_F(BalancerTest, KnowsOwnersAfterMigrations) {
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<ObjectId> ids = {BalancedProgram::id(0), BalancedProgram::id(5), object_id(0, 1000)};
  for (int phase = 0; phase < 3; ++phase) {
    EXPECT_EQ(program.balancer.owner(ids), (std::vector<int>{phase % count, phase % count, -1}));
    program.step();
  }
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

TEST_F(BalancerTest, RecordsWhatItDid) {
  Settings with_statistics = always("RotateLB");
  with_statistics.lb_statistics = true;
  with_statistics.lb_statistics_compress = false;
  with_statistics.lb_statistics_freq = 1;
  with_statistics.lb_statistics_dir = folder;
  with_statistics.lb_statistics_file = "statistics.json";
  BalancedProgram program(with_statistics);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  program.recorder.close();
  const lbdata::Dataset dataset = read();
  const std::string values = dataset.ranks[0].phases[0].user_defined.value_or("");
  EXPECT_THAT(values, ::testing::HasSubstr(R"("lb_name":"RotateLB")"));
  EXPECT_THAT(values, ::testing::HasSubstr(R"("lb_time":)"));
  EXPECT_THAT(values, ::testing::HasSubstr(R"("migration_time":)"));
  const std::string text = support::read_text_file(folder + "/statistics.json");
  EXPECT_THAT(text, ::testing::HasSubstr(count > 1 ? R"("migration count":24)" : R"("migration count":0)"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("post-LB":)"));
}

TEST_F(BalancerTest, SaysWhyNothingMigrates) {
  std::string said;
  Settings its = settings("without_strategy");
  its.lb = true;
  its.sink = [&](std::string_view message) { said += message; };
  { BalancedProgram without_strategy(its); }
  if (rank == 0) {
    EXPECT_THAT(said, ::testing::HasSubstr("lb has no effect: no strategy is selected"));
  }

  Settings rarely = always("RefineLB");
  rarely.lb_when = "1000";
  BalancedProgram program(rarely);
  program.step();
  const MigrationPlan plan = program.balancer.plan();
  EXPECT_TRUE(plan.empty());
  EXPECT_TRUE(plan.strategy.empty()) << "none ran";
  EXPECT_EQ(plan.remark, "RefineLB did not run: the condition lb_when=1000 is not satisfied.");
  program.recorder.close();
}

TEST_F(BalancerTest, SaysInTheLineOfThePhaseWhyNothingMigrates) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::string> lines;
  Settings its = always();
  its.lb_when = "pays";
  its.lb_args = "max_moved_bytes=1e300";  // so that the sizes are known
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  BalancedProgram program(its);
  program.balancer.balance_at_phase_ends(program.store.transport());
  for (const ObjectId id : program.here())  // each would take days
    program.recorder.set_value(program.recorder.find(id), UserValueKind::user_defined,
                               "task_serialized_bytes", 1e15);
  EXPECT_EQ(program.step().balancing.remark, "") << "nothing is decided in the first phase";
  std::string remark;  // of the first decision, which takes more phases with more ranks
  for (int phase = 1; phase < 10 && remark.empty(); ++phase) remark = program.step().balancing.remark;
  EXPECT_THAT(remark, ::testing::MatchesRegex(
                          "The predicted gain of .* per phase does not justify .* migrations\\."));
  program.recorder.close();
  if (rank != 0) return;
  EXPECT_THAT(lines.at(0), ::testing::Not(::testing::HasSubstr("GreedyLB")));
  EXPECT_THAT(lines.back(), ::testing::HasSubstr("objects; GreedyLB: no migrations, decision "));
  EXPECT_THAT(lines.back(), ::testing::HasSubstr("s. The predicted gain of "));
}

TEST_F(BalancerTest, SaysInTheLineOfThePhaseWhatMigrated) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::string> lines;
  Settings its = always("RefineLB");
  its.lb_args = "max_moves=1";
  its.lb_quiet = false;
  its.sink = [&](std::string_view line) { lines.emplace_back(line); };
  BalancedProgram program(its);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  program.balancer.set_strategy("GreedyLB(max_moves=0)");
  program.step();
  program.recorder.close();
  if (rank != 0) return;
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("; RefineLB: 1 migration, new imbalance "));
  EXPECT_THAT(lines.at(0), ::testing::HasSubstr("s. Missed the target: the imbalance is "));
  EXPECT_THAT(lines.at(1), ::testing::HasSubstr("s. GreedyLB found no better placement."));
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

TEST_F(BalancerTest, KnowsLoadsOfObjectsThatAreNewOrHaveArrived) {
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

TEST_F(BalancerTest, ReportsErrorsOnAllRanksAndContinues) {
  Settings failing = always("GreedyLB");
  failing.lb_args = "max_moved_bytes=1";  // the sizes are unknown
  BalancedProgram program(failing);
  EXPECT_ERROR(program.balancer.plan("GreedyLB"), usage, "before the first phase has ended");
  EXPECT_ERROR(program.balancer.plan(), usage, "before the first phase has ended");
  EXPECT_ERROR(program.balancer.set_strategy("OfflineLB"), usage, "lb_data_in");
  EXPECT_ERROR(program.balancer.set_strategy("GreedLB"), usage, "GreedLB");
  EXPECT_ERROR(Balancer{program.recorder}, usage, "already has a Balancer");
  program.balancer.balance_at_phase_ends(program.store.transport());
  EXPECT_ERROR(program.step(), usage, "max_moved_bytes");
  EXPECT_EQ(program.recorder.phase(), 1) << "the phase has ended";

  program.balancer.set_strategy("RotateLB");
  runtime::ObjectTransport broken = program.store.transport();
  broken.pack = [](ObjectId, std::span<std::byte>) -> std::size_t {
    throw std::runtime_error("no more ink");
  };
  program.balancer.balance_at_phase_ends(broken);
  if (count > 1) EXPECT_ERROR(program.step(), system, "no more ink");
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  EXPECT_EQ(program.store.objects.empty(), rank != 1 % count);
  program.step();
  program.recorder.close();
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

TEST_F(BalancerTest, RejectsMigrationsInsideHooks) {
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.balancer.on_migration(
      [&](const MigrationPlan& plan) { program.balancer.migrate(plan, program.store.transport()); });
  if (count == 1) GTEST_SKIP() << "nothing migrates";
  EXPECT_ERROR(program.step(), usage, "migrate() called inside a migration hook");
}

TEST_F(BalancerTest, CallsNoHookAfterOneThatFails) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(always("RotateLB"));
  program.balancer.balance_at_phase_ends(program.store.transport());
  const std::vector<ObjectId> ids = {BalancedProgram::id(0)};
  bool fails = true;
  std::vector<int> owners;
  program.balancer.on_migration([&](const MigrationPlan&) {
    if (fails && rank == 0) throw std::runtime_error("no more paper");
  });
  program.balancer.on_migration([&](const MigrationPlan&) { owners = program.balancer.owner(ids); });
  EXPECT_ERROR(program.step(), system, "rank 0: no more paper");
  EXPECT_TRUE(owners.empty()) << "it would wait for rank 0";
  fails = false;
  program.step();
  EXPECT_EQ(owners, std::vector{2 % count});
  program.recorder.close();
}

TEST_F(BalancerTest, RejectsPlanThatDoesNotFitTheObjects) {
  BalancedProgram program(settings());
  program.step();
  const MigrationPlan plan = program.balancer.plan("RotateLB");
  if (count > 1) {
    if (rank == 0) program.recorder.remove_object(program.recorder.find(BalancedProgram::id(2)));
    EXPECT_ERROR(program.balancer.moved(plan), usage, "is not registered on rank 0");
  }
  program.recorder.close();
}

TEST_F(BalancerTest, RegistersNoArrivalsIfOneIsRegisteredAlready) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  program.step();
  const MigrationPlan plan = program.balancer.plan("RotateLB");
  constexpr std::uint64_t twice = 5;
  if (rank == 1) program.recorder.register_object(BalancedProgram::id(twice), {});
  const auto expect_no_arrivals = [&] {
    for (std::uint64_t k = 0; k < BalancedProgram::n_objects; ++k)
      EXPECT_EQ(static_cast<bool>(program.recorder.find(BalancedProgram::id(k))),
                rank == 0 || (rank == 1 && k == twice))
          << k;
  };
  EXPECT_ERROR(program.balancer.moved(plan), usage, "rank 1: ");
  expect_no_arrivals();
  EXPECT_ERROR(program.balancer.migrate(plan, program.store.transport()), usage, "rank 1: ");
  expect_no_arrivals();
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
