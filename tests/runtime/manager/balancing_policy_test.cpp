#include "runtime/manager/balancing_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

class BalancingPolicyTest : public RecorderRun {
 protected:
  Settings pays(const std::string& strategy = "RefineLB") const {
    Settings result = settings();
    result.lb = true;
    result.lb_name = strategy;
    return result;
  }
};

TEST_F(BalancingPolicyTest, MigratesOnceIfTheImbalanceLasts) {
  BalancedProgram program(pays());
  program.balancer.balance_at_phase_ends(program.store.transport());
  std::vector<std::int64_t> migrations;
  for (int phase = 0; phase < 20; ++phase) migrations.push_back(program.step().balancing.migrations);
  EXPECT_EQ(migrations[0], 0) << "the first phase is never balanced";
  EXPECT_EQ(migrations[1] + migrations[2] + migrations[3] > 0, count > 1);
  for (int phase = 4; phase < 20; ++phase) EXPECT_EQ(migrations[static_cast<std::size_t>(phase)], 0);
  program.recorder.close();
}

TEST_F(BalancingPolicyTest, DoesNotFollowNoise) {
  LoadRecorder recorder(MPI_COMM_WORLD, pays());
  Balancer balancer(recorder);
  ObjectStore store;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const ObjectHandle object = recorder.register_object({.number = k});
    store.objects[recorder.id(object)] = content_of(recorder.id(object), 10);
  }
  balancer.balance_at_phase_ends(store.transport());
  std::mt19937 random(static_cast<unsigned>(rank));
  std::normal_distribution<double> noise(1, 0.2);
  std::int64_t migrations = 0;
  for (int phase = 0; phase < 100; ++phase) {
    const double of_rank = noise(random);
    for (const auto& [id, content] : store.objects)
      recorder.add_time(recorder.find(id), std::max(0.0, of_rank * noise(random)));
    migrations += recorder.next_phase().balancing.migrations;
  }
  EXPECT_LE(static_cast<double>(migrations), 0.05 * 20 * count);
  recorder.close();
}

// The objects of even ranks and those of odd ranks are heavy in turn, for two phases each. No placement of
// one phase lasts, but every rank can have objects of both kinds. With more ranks, migrating at every change
// pays, too, because it costs nothing here.
TEST_F(BalancingPolicyTest, FindsAPlacementForLoadsThatAlternate) {
  if (count != 2) GTEST_SKIP() << "needs two ranks";
  LoadRecorder recorder(MPI_COMM_WORLD, pays());
  Balancer balancer(recorder);
  ObjectStore store;
  for (std::uint64_t k = 0; k < 12; ++k) {
    const ObjectHandle object = recorder.register_object({.number = k});
    store.objects[recorder.id(object)] = content_of(recorder.id(object), 10);
  }
  balancer.balance_at_phase_ends(store.transport());
  std::vector<std::int64_t> migrations;
  double imbalance = 0;  // of the last eight phases
  for (int phase = 0; phase < 40; ++phase) {
    for (const auto& [id, content] : store.objects) {
      const bool is_of_even = lbdata::decode_identifier(static_cast<std::uint64_t>(id))->home % 2 == 0;
      recorder.add_time(recorder.find(id), is_of_even == (phase / 2 % 2 == 0) ? 9 : 1);
    }
    const PhaseSummary summary = recorder.next_phase();
    if (phase >= 32) {
      imbalance = std::max(imbalance, summary.rank_load_s.imbalance());
      migrations.push_back(summary.balancing.migrations);
    }
  }
  EXPECT_LE(imbalance, 0.5);  // at least 0.8 every second time at first
  EXPECT_EQ(std::accumulate(migrations.begin(), migrations.end(), std::int64_t{0}), 0);
  recorder.close();
}

TEST_F(BalancingPolicyTest, DoesNotLearnFromPlansThatMigrateNothing) {
  BalancedProgram program(pays());
  program.step();
  program.step();
  const MigrationPlan plan = program.balancer.plan("RefineLB");
  program.balancer.migrate(plan, program.store.transport());
  for (int phase = 0; phase < 10; ++phase) {  // RefineLB has nothing left to do
    const MigrationPlan empty = program.balancer.plan();
    EXPECT_TRUE(empty.empty()) << phase;
    program.balancer.migrate(empty, program.store.transport());
    program.balancer.moved(empty);
    program.step();
  }
  // A rank gets all objects again, behind the back of the manager's plans, and the policy still acts.
  MigrationPlan back;
  for (const ObjectId id : program.here())
    if (rank != 0) back.exports.push_back({id, rank, 0});
  std::int64_t moves = static_cast<std::int64_t>(back.exports.size());
  MPI_Allreduce(&moves, &back.moves, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (const Move& move : plan.exports) back.imports.push_back({move.object, move.to, 0});
  program.balancer.migrate(back, program.store.transport());
  bool acts = count == 1;
  for (int phase = 0; phase < 6 && !acts; ++phase) {
    program.step();
    acts = !program.balancer.plan().empty();
  }
  EXPECT_TRUE(acts);
  program.recorder.close();
}

TEST_F(BalancingPolicyTest, RunsNothingWithNoLB) {
  BalancedProgram program(settings());
  program.balancer.set_strategy("NoLB");
  program.balancer.balance_at_phase_ends(program.store.transport());
  EXPECT_TRUE(program.step().balancing.strategy.empty());
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// Tasks with a load of 1 s, of which the first `n_changed` have another one.
lbdata::Tasks tasks(std::size_t n, std::size_t n_changed = 0, double changed_s = 1) {
  lbdata::Tasks result;
  for (std::size_t task = 0; task < n; ++task) {
    result.entity.push_back(static_cast<lbdata::EntityIndex>(task));
    result.time_s.push_back(task < n_changed ? changed_s : 1.0);
  }
  return result;
}

TEST(LoadChanges, AreManyIfAQuarterOfTheObjectsChangesToTheSameSide) {
  for (const std::size_t n : {8, 100, 100'000}) {
    EXPECT_EQ(many_loads_changed(tasks(n), tasks(n)), false) << n;
    for (const double changed_s : {1.3, 1 / 1.3}) {
      EXPECT_EQ(many_loads_changed(tasks(n, n, changed_s), tasks(n)), true) << n;
      EXPECT_EQ(many_loads_changed(tasks(n, n / 4 + 1, changed_s), tasks(n)), true) << n;
      EXPECT_EQ(many_loads_changed(tasks(n, n / 8, changed_s), tasks(n)), false) << n;
    }
  }
}

TEST(LoadChanges, AreNotManyIfSmall) {
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 1.1), tasks(100)), false);
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 1 / 1.1), tasks(100)), false);
}

TEST(LoadChanges, AreUnknownForOtherObjectsAndForFew) {
  EXPECT_EQ(many_loads_changed(tasks(100), tasks(101)), std::nullopt);
  EXPECT_EQ(many_loads_changed(tasks(7, 7, 2), tasks(7)), std::nullopt);
  EXPECT_EQ(many_loads_changed(tasks(100, 100, 0), tasks(100)), std::nullopt) << "without load";
}

}  // namespace
}  // namespace plimsoll::runtime
