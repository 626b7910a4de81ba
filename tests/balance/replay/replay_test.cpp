#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include <plimsoll/balance/replay.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/search/random.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using testing::DatasetFactory;
using ::testing::ElementsAre;

/// Adds a phase in which objects 1, 2 and 3 are on rank 0 and object 4 is on rank 1.
void add_phase(DatasetFactory& factory, std::int64_t phase, std::array<double, 4> loads_s) {
  const std::array<std::size_t, 4> ranks = {0, 0, 0, 1};
  for (std::size_t object = 0; object < 4; ++object)
    factory.task(ranks[object], object + 1, loads_s[object], true, phase,
                 R"({"task_serialized_bytes": 100})");
}

/// Example of docs/how-to/replay-a-run.md: three phases on two ranks.
DatasetFactory drifting_run() {
  DatasetFactory factory(2);
  add_phase(factory, 0, {4, 2, 2, 2});
  add_phase(factory, 1, {2, 4, 2, 2});
  add_phase(factory, 2, {2, 2, 2, 6});
  return factory;
}

ReplayCosts example_costs() {
  return {.per_decision_s = 0.5, .per_decided_object_s = 0.1, .migration = MigrationPrice({1, 2, 0.01})};
}

ReplayRequest always(const std::string& schedule) {
  return {.schedule = LbSchedule::parse(schedule, "schedule"),
          .condition = {LbCondition::Kind::always},
          .costs = example_costs()};
}

std::vector<double> times_s(const Replay& replay) {
  std::vector<double> times;
  for (const ReplayedPhase& phase : replay.phases) times.push_back(phase.time_s);
  return times;
}

TEST(Replay, KeepsObjectsWithoutBalancing) {
  const Replay replayed = replay(drifting_run().dataset, always("NoLB"));
  EXPECT_THAT(times_s(replayed), ElementsAre(8, 8, 6));
  EXPECT_EQ(replayed.total_s(), 22);
  EXPECT_EQ(replayed.recorded_s(), 22);
  EXPECT_EQ(replayed.not_balanced_s(), 22);
  // All loads are multiples of 2, so that a mean of 5 means at least 6 on one rank.
  EXPECT_EQ(replayed.bound_s(), 18);
  EXPECT_EQ(replayed.n_balanced(), 0);
}

TEST(Replay, AppliesPlacementToLaterPhasesAndChargesCosts) {
  const Replay replayed = replay(drifting_run().dataset, always("0 PrescribedLB placement=0,0,1,1"));
  EXPECT_THAT(times_s(replayed), ElementsAre(8, 6, 8));
  const ReplayedDecision& decision = replayed.phases[0].decision;
  ASSERT_EQ(decision.migrations.size(), 1u);
  EXPECT_EQ(decision.migrations[0].object.bits, 3u);
  EXPECT_EQ(decision.migrations[0].to, 1);
  EXPECT_EQ(decision.moved_bytes, 100);
  EXPECT_DOUBLE_EQ(decision.decision_s, 0.5 + 4 * 0.1);
  EXPECT_DOUBLE_EQ(decision.migration_s, 1 + 2 + 1);
  EXPECT_EQ(decision.predicted_gain_s, 2);  // from 8 to 6
  EXPECT_DOUBLE_EQ(replayed.total_s(), 22 + 4.9);
  EXPECT_EQ(replayed.not_balanced_s(), 22);
}

TEST(Replay, ShowsHowLongAPlacementStaysGood) {
  const std::vector<PlacementLife> lives =
      replay(drifting_run().dataset, always("0 PrescribedLB placement=0,0,1,1")).placements();
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_EQ(lives[0].phase, 0);
  EXPECT_EQ(lives[0].n_phases, 2u);
  EXPECT_EQ(lives[0].good_phases, 1u);  // it saves 2 s in phase 1, and loses 2 s in phase 2
  EXPECT_EQ(lives[0].saved_s, 0);
  EXPECT_DOUBLE_EQ(lives[0].cost_s, 4.9);
}

// Greedy: 4 -> rank 0; 2 and 2 -> rank 1; the last 2 to the first of two equal ranks.
TEST(Replay, DecidesWithTheLoadsOfThePhase) {
  const Replay replayed = replay(drifting_run().dataset, always("GreedyLB"));
  EXPECT_EQ(replayed.phases[0].decision.predicted_gain_s, 2);
  EXPECT_EQ(replayed.phases[1].decision.predicted_gain_s, replayed.phases[1].time_s - 6);
  EXPECT_EQ(replayed.phases[2].decision.strategy, "");  // no phase follows
}

/// Creates loads of n objects on 4 ranks that change at random from phase to phase.
DatasetFactory random_run(int n_phases, std::uint64_t seed, double last_factor = 1) {
  DatasetFactory factory(4);
  Random random(seed);
  for (int phase = 0; phase < n_phases; ++phase)
    for (std::uint64_t object = 0; object < 40; ++object)
      factory.task(object / 10, object,
                   (object < 10 ? 3 : 1) * (0.5 + random.uniform()) *
                       (phase == n_phases - 1 && object == 7 ? last_factor : 1),
                   true, phase);
  return factory;
}

bool same_decisions(const ReplayedPhase& left, const ReplayedPhase& right) {
  const auto placed = [](const ReplayedMigration& migration) {
    return std::tuple(migration.object.bits, migration.from, migration.to);
  };
  return std::ranges::equal(left.decision.migrations, right.decision.migrations, {}, placed, placed) &&
         left.decision.refusal.reason == right.decision.refusal.reason;
}

TEST(Replay, NeverDependsOnLaterPhases) {
  for (const LbCondition::Kind kind : {LbCondition::Kind::pays, LbCondition::Kind::always}) {
    ReplayRequest request = always("RefineLB");
    request.condition.kind = kind;
    const Replay replayed = replay(random_run(12, 5).dataset, request);
    const Replay changed = replay(random_run(12, 5, 100).dataset, request);
    EXPECT_GT(replayed.n_balanced(), 0);
    for (std::size_t k = 0; k < 11; ++k)
      EXPECT_TRUE(same_decisions(replayed.phases[k], changed.phases[k])) << k;
    EXPECT_GT(changed.phases[11].time_s, replayed.phases[11].time_s);
  }
}

TEST(Replay, RefusesMigrationsThatDoNotPay) {
  ReplayRequest request = always("RefineLB");
  request.condition.kind = LbCondition::Kind::pays;
  request.costs.migration = MigrationPrice({1e6, 0, 0});
  const Replay replayed = replay(random_run(12, 5).dataset, request);
  EXPECT_LE(replayed.n_balanced(), 1);  // the price is unknown before the first migration
  EXPECT_EQ(replayed.phases[0].decision.refusal.reason, Refusal::Reason::first_phases);
}

TEST(Replay, FollowsAThreshold) {
  ReplayRequest request = always("RefineLB");
  request.condition = {LbCondition::Kind::threshold, 10};
  EXPECT_EQ(replay(random_run(6, 5).dataset, request).n_balanced(), 0);
  request.condition.min_imbalance = 0.3;
  const Replay replayed = replay(random_run(6, 5).dataset, request);
  EXPECT_TRUE(replayed.phases[0].decision.has_migrated());
  for (const ReplayedPhase& phase : replayed.phases) {
    if (phase.decision.has_migrated()) {
      EXPECT_GT(phase.imbalance(), 0.3);
    }
  }
}

TEST(Replay, KeepsNonMigratableObjectsWhereTheyWereRecorded) {
  DatasetFactory factory(2);
  for (std::int64_t phase = 0; phase < 2; ++phase) {
    factory.task(0, 1, 5, false, phase);
    factory.task(0, 2, 1, true, phase);
    factory.task(1, 1, 1, false, phase);  // has the same number on another rank
  }
  EXPECT_THAT(times_s(replay(factory.dataset, always("GreedyLB"))), ElementsAre(6, 5));
}

TEST(Replay, IgnoresRecordedMigrations) {
  DatasetFactory factory(2);
  factory.task(0, 1, 3);
  factory.task(0, 2, 3);
  factory.record(1);
  factory.task(0, 1, 3, true, 1);
  factory.task(1, 2, 3, true, 1);
  const Replay replayed = replay(factory.dataset, always("NoLB"));
  EXPECT_THAT(times_s(replayed), ElementsAre(6, 6));
  EXPECT_EQ(replayed.recorded_s(), 9);
}

TEST(Replay, NeedsAPhaseOnAllRanks) {
  DatasetFactory factory(2);
  factory.task(0, 1, 3);
  EXPECT_ERROR(replay(factory.dataset, always("NoLB")), bad_input, "phase");
}

TEST(ReplayedDataSet, HasThePlacementsOfTheReplay) {
  const DatasetFactory factory = random_run(8, 3);
  const Replay replayed = replay(factory.dataset, always("%2 GreedyLB"));
  const lbdata::Dataset written = replayed_data_set(factory.dataset, replayed);
  const Replay again = replay(written, always("NoLB"));
  for (std::size_t k = 0; k < replayed.phases.size(); ++k)
    EXPECT_DOUBLE_EQ(again.phases[k].recorded_s, replayed.phases[k].time_s) << k;
  const ReplayCosts costs = recorded_costs(written);
  EXPECT_EQ(costs.n_decisions, 4);
  EXPECT_NEAR(costs.per_decision_s, 0.5 + 0.1 * 40, 1e-12);
  EXPECT_EQ(costs.n_migrations, replayed.n_balanced());
}

TEST(ReplayedDataSet, ReplacesRecordedDecisions) {
  DatasetFactory factory = drifting_run();
  factory.record(0, 1).user_defined = R"({"lb_name": "OldLB", "migration_count": 3, "mine": [1, {"a": 2}]})";
  const lbdata::Dataset written =
      replayed_data_set(factory.dataset, replay(factory.dataset, always("0 GreedyLB")));
  EXPECT_EQ(written.ranks[0].find(1)->user_defined, R"({"mine":[1,{"a":2}]})");
  EXPECT_THAT(*written.ranks[0].find(0)->user_defined, ::testing::HasSubstr("GreedyLB"));
}

TEST(RecordedCosts, AreAssumptionsWithoutRecordedBalancing) {
  const ReplayCosts costs = recorded_costs(drifting_run().dataset);
  EXPECT_EQ(costs.n_decisions, 0);
  EXPECT_EQ(costs.n_migrations, 0);
}

}  // namespace
}  // namespace plimsoll::balance
