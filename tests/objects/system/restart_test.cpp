// Checkpoints of elements, and restarts on other numbers of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/runtime/node_lb_data.hpp>

#include "objects/system/restart_program.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::int64_t saved_phase = 5;
constexpr std::int64_t last_phase = 9;

/// Returns the numbers of ranks to try.
std::vector<int> rank_counts(int size) {
  std::vector<int> counts = {1, 2, 3, 8};
  std::erase_if(counts, [&](int count) { return count > size; });
  return counts;
}

TEST_F(RestartTest, ContinuesOnAnyNumberOfRanksAsIfUninterrupted) {
  RestartProgram uninterrupted{mpi::Communicator(MPI_COMM_SELF)};
  uninterrupted.run_to(saved_phase);
  const Elements saved = uninterrupted.elements();
  const double last_load_s = uninterrupted.run_to(last_phase).object_load_modeled_s.maximum();
  const Elements last = uninterrupted.elements();
  EXPECT_EQ(saved.count, 30 + 15);

  for (const int before : rank_counts(world.size())) {
    on_first_ranks(before, [&](const mpi::Communicator& ranks) {
      RestartProgram program(ranks);
      program.run_to(saved_phase);
      program.system.checkpoint(folder);
      EXPECT_FALSE(program.system.is_restored());
      EXPECT_EQ(program.elements(), saved);
      program.run_to(last_phase);
      EXPECT_EQ(program.elements(), last);
    });
    for (const int after : rank_counts(world.size())) {
      SCOPED_TRACE(std::to_string(before) + " ranks, then " + std::to_string(after));
      on_first_ranks(after, [&](const mpi::Communicator& ranks) {
        RestartProgram program(ranks, folder);
        EXPECT_TRUE(program.system.is_restored());
        EXPECT_EQ(program.recorder.phase(), saved_phase);
        EXPECT_EQ(program.elements(), saved);
        EXPECT_EQ(program.counters.local().count, 0) << "groups are not saved";
        const PhaseSummary summary = program.run_to(last_phase);
        EXPECT_EQ(program.elements(), last);
        EXPECT_DOUBLE_EQ(summary.object_load_modeled_s.maximum(), last_load_s);
      });
    }
  }
}

TEST_F(RestartTest, KnowsTheLoadsOfPhasesBefore) {
  RestartProgram uninterrupted{mpi::Communicator(MPI_COMM_SELF)};
  const double next_load_s = uninterrupted.run_to(saved_phase + 1).object_load_modeled_s.maximum();
  {
    RestartProgram program(world);
    program.run_to(saved_phase);
    program.system.checkpoint(folder);
  }
  // The linear model predicts rising loads only if it knows several phases.
  RestartProgram program(world, folder);
  EXPECT_DOUBLE_EQ(program.step().object_load_modeled_s.maximum(), next_load_s);
  EXPECT_DOUBLE_EQ(next_load_s, 10 * (1 + 0.25 * (saved_phase + 2)));
}

TEST_F(RestartTest, KeepsUserValues) {
  {
    RestartProgram program(world);
    program.run_to(saved_phase);
    program.system.checkpoint(folder);
  }
  Settings settings = RestartProgram::quiet();
  settings.lb_data = true;  // records have values only if they are written
  settings.lb_data_dir = folder + "-data";
  RestartProgram program(world, folder, settings);
  program.step();
  const lbdata::Tasks& tasks = program.recorder.node_lb_data().phases().back().tasks;
  std::vector<std::int64_t> found(30);
  for (std::uint32_t task = 0; task < tasks.size(); ++task)
    for (std::size_t k = 0; k < found.size(); ++k)
      if (tasks.user_defined.at(task) == "{\"first\":" + std::to_string(k) + "}") ++found[k];
  for (const std::int64_t here : found) EXPECT_EQ(world.sum(here), 1);
  program.recorder.close();
}

TEST_F(RestartTest, PlacesElementsByTheirLoads) {
  on_first_ranks(1, [&](const mpi::Communicator& ranks) {
    RestartProgram program(ranks);
    program.run_to(1);
    program.system.checkpoint(folder);
  });
  RestartProgram program(world, folder);
  double mine_s = 0;
  program.cells.for_each_local([&](Cell& cell) { mine_s += cell.user_set_lb_load(); });
  program.walkers.for_each_local([&](Walker& walker) { mine_s += walker.user_set_lb_load(); });
  // A greedy strategy exceeds the mean by at most one element.
  EXPECT_LE(mine_s, world.sum(mine_s) / world.size() + 10 * 1.25);
}

TEST_F(RestartTest, PlacesElementsWithTheStrategyOfTheSettings) {
  {
    RestartProgram program(world);
    program.run_to(2);
    program.system.checkpoint(folder);
  }
  Settings settings = RestartProgram::quiet();
  settings.lb = true;
  settings.lb_name = "RotateLB";
  RestartProgram program(world, folder, settings);
  program.cells.for_each_local([&](const Cell& cell) {
    EXPECT_EQ((program.cells.home(cell.index()) + 1) % world.size(), world.rank());
  });
}

TEST_F(RestartTest, LeavesElementsAtHomeBeforeTheFirstPhaseEnds) {
  { RestartProgram(world).system.checkpoint(folder); }
  RestartProgram program(world, folder);
  EXPECT_EQ(program.recorder.phase(), 0);
  EXPECT_EQ(program.elements().count, 30);
  program.cells.for_each_local(
      [&](const Cell& cell) { EXPECT_EQ(program.cells.home(cell.index()), world.rank()); });
  program.run_to(2);
}

TEST_F(RestartTest, MayBeRepeated) {
  RestartProgram uninterrupted{mpi::Communicator(MPI_COMM_SELF)};
  uninterrupted.run_to(6);
  for (int phase = 0; phase < 6; ++phase) {
    RestartProgram program(world, phase == 0 ? "" : folder);
    EXPECT_EQ(program.recorder.phase(), phase);
    program.step();
    program.system.checkpoint(folder);
  }
  EXPECT_EQ(RestartProgram(world, folder).elements(), uninterrupted.elements());
}

/// Element that takes part in at_sync().
struct Runner : Element<Runner> {
  int rounds = 0;

  Runner() { use_at_sync(); }
  void start() { at_sync(); }
  void resume_from_sync() override { ++rounds; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(rounds);
  }
};

TEST_F(RestartTest, RemembersWhoHasCalledAtSync) {
  const auto start = [&](ObjectSystem& system, Collection<Runner>& runners, std::int64_t begin,
                         std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k)
      if (system.rank() == 0) runners[{k}].send<&Runner::start>();
    system.run_until_quiet();
  };
  {
    LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
    ObjectSystem system(recorder);
    Collection<Runner> runners(system, {.bounds = {{10}}});
    start(system, runners, 0, 4);
    system.checkpoint(folder);
  }
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  Collection<Runner> runners(system, {.bounds = {{10}}});
  start(system, runners, 4, 9);
  EXPECT_EQ(recorder.phase(), 0);
  start(system, runners, 9, 10);
  EXPECT_EQ(recorder.phase(), 1);
  runners.for_each_local([](const Runner& runner) { EXPECT_EQ(runner.rounds, 1); });
}

TEST_F(RestartTest, RemembersWhichElementsMayMigrate) {
  {
    LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
    ObjectSystem system(recorder);
    Collection<Runner> runners(system, {.bounds = {{10}}});
    runners.for_each_local([](Runner& runner) { runner.set_migratable(runner.index()[0] % 2 == 0); });
    system.checkpoint(folder);
  }
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  Collection<Runner> runners(system, {.bounds = {{10}}});
  runners.for_each_local(
      [](const Runner& runner) { EXPECT_EQ(runner.is_migratable(), runner.index()[0] % 2 == 0); });
}

TEST_F(RestartTest, IgnoresCollectionsThatWereDestroyed) {
  {
    LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
    ObjectSystem system(recorder);
    { Collection<Runner> destroyed(system, {.bounds = {{3}}, .name = "destroyed"}); }
    Collection<Runner> runners(system, {.bounds = {{10}}});
    system.checkpoint(folder);
  }
  LoadRecorder recorder(MPI_COMM_WORLD, RestartProgram::quiet());
  ObjectSystem system(recorder, {.restore = folder});
  Collection<Runner> runners(system, {.bounds = {{10}}});
  Collection<Runner> another(system, {.bounds = {{7}}, .name = "not in the checkpoint"});
  EXPECT_EQ(world.sum(runners.local_count()), 10);
  EXPECT_EQ(world.sum(another.local_count()), 7) << "constructed as usual";
  system.run_until_quiet();
}

}  // namespace
}  // namespace plimsoll::testing
