#include <gmock/gmock.h>

#include <plimsoll/balance/decision.hpp>
#include <plimsoll/balance/offline_lb.hpp>
#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/lbdata/writer.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/search/random.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "common/vt_offline_lb.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using plimsoll::testing::Locations;
using plimsoll::testing::run_with_offline_lb;
using plimsoll::testing::TemporaryFolder;
using testing::DatasetFactory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::numbers_on;

std::uint64_t vt_object(std::uint32_t home, std::uint64_t sequence) {
  return lbdata::encode({.home = home, .sequence = sequence});
}

std::uint64_t placeholder(std::uint32_t rank) {
  return vt_object(rank, (std::uint64_t{1} << 45) - 1);
}

/// A vt program with its recording.
struct Recording {
  explicit Recording(std::int32_t n_ranks) : factory(static_cast<std::size_t>(n_ranks)) {}

  /// Records a phase, with a bare handler on each rank.
  void add(std::int64_t phase, const Locations& objects) {
    phases[phase] = objects;
    for (std::uint32_t rank = 0; rank < factory.dataset.ranks.size(); ++rank) {
      factory.task(rank, lbdata::encode({lbdata::IdentifierKind::bare_handler, rank}), 0.1, false, phase);
      for (const auto& [object, location] : objects)
        if (location == static_cast<std::int32_t>(rank)) factory.task(rank, object, 1, true, phase);
    }
  }

  std::int32_t n_ranks() const { return static_cast<std::int32_t>(factory.dataset.ranks.size()); }

  DatasetFactory factory;
  std::map<std::int64_t, Locations> phases;
};

/// Returns the rank of each migratable object after the placement.
Locations locations(const DatasetPhase& phase, std::span<const std::int32_t> to_proc) {
  Locations result;
  for (std::size_t object = 0; object < to_proc.size(); ++object)
    if (phase.stats.obj_data[object].migratable) result[phase.stats.numbers[object]] = to_proc[object];
  return result;
}

/// Runs the vt program with a plan for `phase`.
Locations follow(const Recording& recording, const lbdata::Dataset& plan, std::int64_t phase) {
  const TemporaryFolder folder;
  lbdata::write(plan, folder / "plan", "data", {.compress = false});
  return run_with_offline_lb(folder / "plan", recording.n_ranks(), recording.phases, phase);
}

/// Creates a run of 4 objects per rank on 4 ranks that was balanced itself: after phase 0, the objects of
/// each rank moved to the next rank.
Recording balanced_run() {
  Recording recording(4);
  Locations objects;
  for (std::uint32_t home = 0; home < 4; ++home)
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence)
      objects[vt_object(home, sequence)] = static_cast<std::int32_t>(home);
  recording.add(0, objects);
  for (auto& [object, rank] : objects) rank = (rank + 1) % 4;
  recording.add(1, objects);
  recording.add(2, objects);
  return recording;
}

/// Creates a run on 3 ranks of which rank 2 has no migratable object.
Recording run_with_empty_rank() {
  Recording recording(3);
  const Locations objects = {{vt_object(0, 1), 0}, {vt_object(0, 2), 0}, {vt_object(0, 3), 0},
                             {vt_object(1, 1), 1}, {vt_object(1, 2), 1}, {vt_object(1, 3), 1}};
  recording.add(0, objects);
  recording.add(1, objects);
  return recording;
}

TEST(OfflineLbPlan, ContainsAllPhasesAndNextPlacement) {
  const Recording recording = balanced_run();
  const DatasetPhase phase = load_phase(recording.factory.dataset, 1);
  std::vector<std::int32_t> to_proc = phase.stats.from_proc;
  to_proc[1] = 3;
  const OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, to_proc, 1);
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_EQ(plan.n_migrations, 1);
  EXPECT_THAT(plan.dataset.phase_ids(), ElementsAre(0, 1, 2));
  const lbdata::Dataset& recorded = recording.factory.dataset;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(plan.dataset.ranks[rank].phases.size(), 3u);
    EXPECT_EQ(plan.dataset.ranks[rank].metadata.phases, lbdata::PhaseMetadata());
    for (const std::int64_t id : {0, 1})
      EXPECT_EQ(numbers_on(plan.dataset, rank, id), numbers_on(recorded, rank, id));
  }
  EXPECT_EQ(numbers_on(plan.dataset, 3, 2).back(), phase.stats.numbers[1]);
}

TEST(OfflineLbPlan, MakesVtRepeatRecordedMigrations) {
  const Recording recording = balanced_run();
  DatasetPhase phase = load_phase(recording.factory.dataset, 2);
  std::vector<std::int32_t> to_proc = phase.stats.from_proc;
  for (std::size_t object = 0; object < to_proc.size(); ++object)
    if (phase.stats.obj_data[object].migratable) to_proc[object] = static_cast<std::int32_t>(object % 4);
  OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, to_proc, 2);
  const Locations expected = locations(phase, to_proc);
  EXPECT_EQ(follow(recording, plan.dataset, 2), expected);
  EXPECT_THAT(plan.dataset.ranks[0].metadata.phases->identical_to_previous.list, ElementsAre(2));

  // Without the earlier phases, the program starts with other ranks than the plan.
  for (lbdata::RankData& rank : plan.dataset.ranks) {
    rank.phases.erase(rank.phases.begin(), rank.phases.begin() + 2);
    rank.metadata.phases->skipped.range = {{0, 1}};
  }
  EXPECT_NE(follow(recording, plan.dataset, 2), expected);
}

TEST(OfflineLbPlan, HasPlaceholdersOnRanksWithoutMigratableTasks) {
  const Recording recording = run_with_empty_rank();
  const Decision decision = decide(recording.factory.dataset, {"GreedyLB"});
  OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, decision.phase, decision.placement(), 0);
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_THAT(numbers_on(plan.dataset, 2, 0), ElementsAre(9, placeholder(2)));
  EXPECT_EQ(numbers_on(plan.dataset, 2, 1).size(), 3u);
  const Locations expected = locations(decision.phase, decision.placement());
  EXPECT_EQ(follow(recording, plan.dataset, 1), expected);

  // Without the placeholder, rank 2 gets nothing.
  plan.dataset.ranks[2].find(0)->tasks = recording.factory.dataset.ranks[2].find(0)->tasks;
  EXPECT_NE(follow(recording, plan.dataset, 1), expected);
}

TEST(OfflineLbPlan, LeavesRanksWithoutObjects) {
  const Recording recording = run_with_empty_rank();
  const DatasetPhase phase = load_phase(recording.factory.dataset, 1);
  std::vector<std::int32_t> to_proc = phase.stats.from_proc;
  for (std::size_t object = 0; object < to_proc.size(); ++object)
    if (phase.stats.obj_data[object].migratable) to_proc[object] = 2;
  const OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, to_proc, 0);
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_EQ(follow(recording, plan.dataset, 1), locations(phase, to_proc));
}

TEST(OfflineLbPlan, TakesEffectAfterFirstPhaseIfNoPhaseFollows) {
  const Recording recording = balanced_run();
  const lbdata::Dataset& recorded = recording.factory.dataset;
  EXPECT_EQ(default_migration_phase(recorded, 0), 0);
  EXPECT_EQ(default_migration_phase(recorded, 1), 1);
  EXPECT_EQ(default_migration_phase(recorded, 2), 0);
  const Decision decision = decide(recorded, {"GreedyLB"});
  const OfflineLbPlan plan = offline_lb_plan(recorded, decision.phase, decision.placement(), 0);
  EXPECT_THAT(plan.dataset.phase_ids(), ElementsAre(0, 1));
  EXPECT_EQ(follow(recording, plan.dataset, 0), locations(decision.phase, decision.placement()));
}

TEST(OfflineLbPlan, WarnsIfItHasNoEffect) {
  const Recording recording = balanced_run();
  const DatasetPhase phase = load_phase(recording.factory.dataset, 2);
  const OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, phase.stats.from_proc, 2);
  ASSERT_EQ(plan.warnings.size(), 2u);
  EXPECT_EQ(plan.warnings[0].what, "the plan has no effect: no object migrates after phase 2");
  EXPECT_THAT(plan.warnings[1].what, HasSubstr("the recorded run ended with phase 2, and vt migrates after"));
  EXPECT_ERROR(offline_lb_plan(recording.factory.dataset, phase, phase.stats.from_proc, -1), usage,
               "invalid phase -1 for migrations");
}

TEST(OfflineLbPlan, WarnsAboutObjectsThatAppearLater) {
  Recording recording(2);
  Locations objects = {{vt_object(0, 1), 0}, {vt_object(1, 1), 1}};
  recording.add(0, objects);
  objects[vt_object(0, 2)] = 0;
  recording.add(1, objects);
  recording.add(2, objects);
  const DatasetPhase phase = load_phase(recording.factory.dataset, 1);
  const std::vector<std::int32_t> to_proc = {0, 1, 1, 1, 0};
  const auto warning = [&](std::int64_t migrate_after) {
    const std::vector<Diagnostic> warnings =
        offline_lb_plan(recording.factory.dataset, phase, to_proc, migrate_after).warnings;
    EXPECT_EQ(warnings.size(), 1u);
    return warnings.empty() ? "" : warnings.front().what;
  };
  EXPECT_THAT(warning(0), HasSubstr("1 of 3 migratable objects do not exist in phase 0"));
  EXPECT_THAT(warning(1), HasSubstr("1 of 3 migratable objects appear after phase 0"));
}

TEST(OfflineLbPlan, WarnsAboutIdsThatVtDoesNotMigrate) {
  DatasetFactory factory(2);
  factory.task(0, 8, 1);  // the two lowest bits mark an object group
  factory.task(0, vt_object(0, 1), 1);
  factory.task(1, vt_object(1, 1), 1);
  factory.record(0, 1);
  const DatasetPhase phase = load_phase(factory.dataset, 0);
  const std::vector<std::int32_t> to_proc = {1, 1, 0};
  const OfflineLbPlan plan = offline_lb_plan(factory.dataset, phase, to_proc, 0);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_THAT(plan.warnings[0].what, HasSubstr("vt ignores 1 of the 3 migrations"));
}

TEST(OfflineLbPlan, OmitsWhatVtDoesNotNeed) {
  Recording recording = run_with_empty_rank();
  for (const std::int64_t id : {0, 1}) {
    lbdata::PhaseRecord& record = recording.factory.record(0, id);
    record.user_defined = R"({"lb_name":"RefineLB"})";
    record.lb_iterations.emplace();
    record.communications.emplace();
    record.tasks.user_defined.add(0, R"({"x":1})");
    record.tasks.attributes.add(0, R"({"x":1})");
  }
  const DatasetPhase phase = load_phase(recording.factory.dataset, 1);
  const OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, phase.stats.from_proc, 0);
  EXPECT_EQ(plan.dataset.ranks[0].phases.size(), 2u);
  for (const lbdata::PhaseRecord& record : plan.dataset.ranks[0].phases) {
    EXPECT_FALSE(record.user_defined);
    EXPECT_FALSE(record.lb_iterations);
    EXPECT_FALSE(record.communications);
    EXPECT_EQ(record.tasks.user_defined.size() + record.tasks.attributes.size(), 0u);
    EXPECT_THAT(record.tasks.subphase_id, IsEmpty());
    EXPECT_EQ(record.tasks.time_s[1], 1);
  }
}

TEST(OfflineLbPlan, StartsAtHomeIfFirstPhasesLackData) {
  Recording recording(2);
  const Locations objects = {{vt_object(0, 1), 0}, {vt_object(0, 2), 1}, {vt_object(1, 1), 1}};
  recording.add(3, objects);
  const DatasetPhase phase = load_phase(recording.factory.dataset, 3);
  const std::vector<std::int32_t> to_proc = {0, 1, 1, 1, 0};
  for (std::size_t rank : {0, 1})
    for (lbdata::EntityIndex& entity : recording.factory.record(rank, 3).tasks.entity) {
      lbdata::Entity full;
      full.id = recording.factory.dataset.entities.number(entity);
      full.home = static_cast<std::int32_t>(lbdata::decode_identifier(full.id->bits)->home);
      full.migratable = recording.factory.dataset.entities.migratable(entity);
      entity = recording.factory.dataset.entities.intern(full);
    }
  recording.factory.record(0, 4);
  const OfflineLbPlan plan = offline_lb_plan(recording.factory.dataset, phase, to_proc, 3);
  ASSERT_EQ(plan.warnings.size(), 1u);
  EXPECT_THAT(plan.warnings[0].what, HasSubstr("starts on its home rank"));
  EXPECT_THAT(plan.dataset.ranks[0].metadata.phases->identical_to_previous.range,
              ElementsAre(ElementsAre(1, 2)));
  recording.phases = {{0, {{vt_object(0, 1), 0}, {vt_object(0, 2), 0}, {vt_object(1, 1), 1}}}};
  EXPECT_EQ(follow(recording, plan.dataset, 3), locations(phase, to_proc));
}

TEST(OfflineLbPlan, RejectsPhaseOfAnotherDataSet) {
  Recording recording = run_with_empty_rank();
  const DatasetPhase phase = load_phase(recording.factory.dataset, 1);
  recording.factory.task(2, vt_object(2, 1), 1, true, 1);
  EXPECT_ERROR(offline_lb_plan(recording.factory.dataset, phase, phase.stats.from_proc, 1), usage,
               "does not match the data set");
}

/// Creates a random run of up to 6 phases on up to 5 ranks, some of which never have migratable objects.
/// Objects migrate between the phases. In a complete recording, objects are also created and deleted; in an
/// incomplete one, some phases after the first are missing or listed as identical.
Recording random_run(Random& random, bool complete) {
  const auto below = [&](std::uint64_t end) { return random.next() % end; };
  Recording recording(static_cast<std::int32_t>(2 + below(4)));
  const auto n_used = 1 + below(static_cast<std::uint64_t>(recording.n_ranks()));
  Locations objects;
  std::uint64_t sequence = 0;
  const auto create = [&](std::uint64_t count) {
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t home = below(n_used);
      objects[vt_object(static_cast<std::uint32_t>(home), ++sequence)] = static_cast<std::int32_t>(home);
    }
  };
  create(1 + below(12));
  const auto n_phases = static_cast<std::int64_t>(1 + below(6));
  for (std::int64_t phase = 0; phase < n_phases; ++phase) {
    if (phase > 0 && !complete && below(3) == 0) {
      if (below(2) == 0 && recording.phases.contains(phase - 1))
        for (lbdata::RankData& rank : recording.factory.dataset.ranks) {
          if (!rank.metadata.phases) rank.metadata.phases.emplace();
          rank.metadata.phases->identical_to_previous.append(phase);
        }
      continue;
    }
    recording.add(phase, objects);
    for (auto& [object, rank] : objects)
      if (below(3) == 0) rank = static_cast<std::int32_t>(below(n_used));
    if (complete && objects.size() > 1 && below(3) == 0) objects.erase(objects.begin());
    if (complete) create(below(3));
  }
  return recording;
}

TEST(OfflineLbPlan, BringsAllObjectsOfRandomRunsToTheirNewRanks) {
  Random random(5);
  for (int run = 0; run < 100; ++run) {
    const Recording recording = random_run(random, run % 2 == 0);
    const auto any_phase = [&] {
      return std::next(recording.phases.begin(),
                       static_cast<std::ptrdiff_t>(random.next() % recording.phases.size()));
    };
    const std::int64_t chosen = any_phase()->first;
    const auto last = run % 4 < 2 ? recording.phases.find(chosen) : any_phase();
    const char* const strategies[] = {"RandomLB", "GreedyLB", "RotateLB"};
    const Decision decision =
        decide(recording.factory.dataset, {strategies[random.next() % 3]}, {.phase = chosen});
    const OfflineLbPlan plan =
        offline_lb_plan(recording.factory.dataset, decision.phase, decision.placement(), last->first);
    Locations expected = last->second;
    for (const auto& [object, rank] : locations(decision.phase, decision.placement()))
      if (const auto found = expected.find(object); found != expected.end()) found->second = rank;
    EXPECT_EQ(follow(recording, plan.dataset, last->first), expected)
        << "run " << run << ", loads of phase " << chosen << ", migrations after phase " << last->first;
  }
}

}  // namespace
}  // namespace plimsoll::balance
