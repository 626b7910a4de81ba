// Tests strategies that run on all ranks in rounds, at the ends of phases.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/decision.hpp>

#include "runtime/manager/balanced_program.hpp"

namespace plimsoll::testing {
namespace {

using RoundsAtPhaseEnds = BalancedRun;

/// Objects of all ranks, whose loads change from phase to phase.
class ChangingProgram {
 public:
  ChangingProgram(const Settings& settings) : recorder(MPI_COMM_WORLD, settings), balancer(recorder) {
    std::array<ObjectId, n_per_rank> mine{};
    for (std::uint64_t k = 0; k < n_per_rank; ++k) {
      mine[k] = recorder.id(recorder.register_object({.index = {recorder.rank(), std::int64_t(k)}}));
      store.objects[mine[k]] = content_of(mine[k], 10 + k);
    }
    ids.resize(n_per_rank * static_cast<std::size_t>(recorder.communicator().size()));
    MPI_Allgather(mine.data(), n_per_rank, MPI_UINT64_T, ids.data(), n_per_rank, MPI_UINT64_T,
                  MPI_COMM_WORLD);
    balancer.balance_at_phase_ends(store.transport());
  }

  PhaseSummary step() {
    for (const auto& [id, content] : store.objects) use_block(id);
    for (const auto& [id, content] : store.objects) {
      const auto seed = static_cast<double>(static_cast<std::uint64_t>(id) % 1009);
      const double load_s = 1.01 + std::sin(seed + 0.1 * static_cast<double>(recorder.phase()));
      recorder.add_time(recorder.find(id), load_s);
      // Objects send to the next one of their initial rank, and to one of the next initial rank.
      const auto number = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
      recorder.record_message(id, ids[number / n_per_rank * n_per_rank + (number + 1) % n_per_rank],
                              100 + number);
      recorder.record_message(id, ids[(number + n_per_rank) % ids.size()], 10 * (number % 5));
    }
    return recorder.next_phase();
  }

  /// Ends a phase in which each rank works outside of objects, too: odd ranks longer.
  PhaseSummary step_with_background() {
    const auto odd = static_cast<double>(recorder.rank() % 2);
    const std::clock_t end = std::clock() + static_cast<std::clock_t>((0.002 + 0.004 * odd) * CLOCKS_PER_SEC);
    while (std::clock() < end) continue;
    {
      const auto idle = recorder.wait();
      const std::clock_t idle_end = std::clock() + static_cast<std::clock_t>(0.001 * CLOCKS_PER_SEC);
      while (std::clock() < idle_end) continue;
    }
    for (const auto& [id, content] : store.objects)
      recorder.add_time(recorder.find(id),
                        1e-5 + 1e-7 * static_cast<double>(static_cast<std::uint64_t>(id) % 97));
    return recorder.next_phase();
  }

  /// Three consecutive objects of the same initial rank use one shared block, which is at home there.
  void use_block(ObjectId id) {
    const auto number = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
    const ObjectHandle object = recorder.find(id);
    const auto set = [&](const char* name, std::int64_t value) {
      recorder.set_value(object, UserValueKind::user_defined, name, value);
    };
    set("shared_id", static_cast<std::int64_t>(number / 3));
    set("home_rank", home.value_or(static_cast<std::int64_t>(number / n_per_rank)));
    set("shared_bytes", static_cast<std::int64_t>(10 + number));
    set("task_working_bytes", static_cast<std::int64_t>(number % 7));
  }

  static constexpr std::size_t n_per_rank = 12;

  LoadRecorder recorder;
  Balancer balancer;
  ObjectStore store;
  std::vector<ObjectId> ids;         // of all ranks
  std::optional<std::int64_t> home;  // of all blocks on this rank, if it is not that of their objects
};

/// Returns the rank of each migratable object in a phase.
std::map<std::uint64_t, std::int32_t> ranks_in(const lbdata::Dataset& dataset, std::int64_t phase) {
  const balance::LDStats stats = balance::load_phase(dataset, phase).stats;
  std::map<std::uint64_t, std::int32_t> ranks;
  for (std::size_t object = 0; object < stats.numbers.size(); ++object)
    if (stats.obj_data[object].migratable) ranks[stats.numbers[object]] = stats.from_proc[object];
  return ranks;
}

/// Expects that each decision of a run equals that of `plimsoll balance` with the data of its phase.
void expect_same_offline(const lbdata::Dataset& dataset, const std::string& strategy, std::int64_t n_phases) {
  for (std::int64_t phase = 0; phase + 1 < n_phases; ++phase) {
    const balance::Decision offline =
        balance::decide(dataset, balance::StrategySpec::parse(strategy), {.phase = phase});
    const std::map<std::uint64_t, std::int32_t> online = ranks_in(dataset, phase + 1);
    const balance::LDStats& stats = offline.phase.stats;
    for (std::size_t object = 0; object < stats.numbers.size(); ++object) {
      if (!stats.obj_data[object].migratable) continue;
      ASSERT_EQ(online.at(stats.numbers[object]), stats.to_proc[object])
          << strategy << ", object " << stats.numbers[object] << " after phase " << phase;
    }
  }
}

class StrategyAtPhaseEnds : public RoundsAtPhaseEnds, public ::testing::WithParamInterface<const char*> {};

TEST_P(StrategyAtPhaseEnds, PlacesObjectsLikePlimsollBalanceWithTheDataOfThePhase) {
  constexpr std::int64_t n_phases = 4;
  const std::string strategy = GetParam();
  ChangingProgram program(always(strategy));
  std::int64_t migrations = 0;
  for (std::int64_t phase = 0; phase < n_phases; ++phase) migrations += program.step().balancing.migrations;
  EXPECT_EQ(migrations > 0, count > 1);
  program.recorder.close();

  expect_same_offline(read(), strategy, n_phases);
}

INSTANTIATE_TEST_SUITE_P(, StrategyAtPhaseEnds,
                         ::testing::Values("TemperedLB(seed=5)", "DiffusionLB", "DistributedOrbLB",
                                           "TemperedLB(transfer=SwapClusters,delta=0.001)"),
                         [](const auto& strategy) {
                           const std::string_view name = strategy.param;
                           return std::string(name.substr(0, name.find('('))) +
                                  (name.find("SwapClusters") == std::string_view::npos ? "" : "WithClusters");
                         });

TEST_F(RoundsAtPhaseEnds, ConsiderBackgroundLoadLikePlimsollBalance) {
  constexpr std::int64_t n_phases = 5;
  for (const std::string strategy : {"TemperedLB", "RefineLB"}) {
    Settings wall = always(strategy, strategy);
    wall.lb_loads = runtime::LoadTime::wall;
    ChangingProgram program(wall);
    for (std::int64_t phase = 0; phase < n_phases; ++phase) program.step_with_background();
    program.recorder.close();
    const lbdata::Dataset dataset = read(strategy);
    const balance::PhaseColumns with_background{.background = true};
    for (const balance::ProcStats& proc :
         balance::load_phase(dataset, n_phases - 1, with_background).stats.procs)
      EXPECT_GT(proc.bg_walltime, 0);
    expect_same_offline(dataset, strategy, n_phases);
  }
}

TEST_F(RoundsAtPhaseEnds, RejectHomesOfBlocksThatAreNotRanksOnAllRanks) {
  for (const std::string strategy : {"TemperedLB(delta=1)", "ClusterLB(effort=100)"}) {
    ChangingProgram program(always(strategy, strategy));
    for (const std::int64_t home : {std::int64_t{count}, std::int64_t{1} << 32, std::int64_t{-1}}) {
      if (rank == count - 1) program.home = home;
      EXPECT_ERROR(program.step(), usage, "invalid home_rank");
    }
    program.home.reset();
    program.step();
    program.recorder.close();
  }
}

TEST_F(RoundsAtPhaseEnds, KeepTheLastElementOfACollection) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  Settings keeping = always("TemperedLB");
  keeping.lb_keep_last_elm = true;
  BalancedProgram program(keeping);
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.balancer.set_available(rank != 0);
  program.step();
  EXPECT_EQ(program.store.objects.size() == 1, rank == 0);
  program.recorder.close();
}

TEST_F(RoundsAtPhaseEnds, WaitForNoRankWithAnotherStrategy) {
  if (count == 1) GTEST_SKIP() << "needs two ranks";
  BalancedProgram program(settings());
  program.balancer.balance_at_phase_ends(program.store.transport());
  program.step();
  if (rank == 0) program.balancer.set_strategy("TemperedLB");
  EXPECT_ERROR(program.step(), usage, "different strategies: no strategy here, but \"TemperedLB\" on rank 0");
  program.balancer.set_strategy("TemperedLB");
  program.step();
  program.recorder.close();
}

}  // namespace
}  // namespace plimsoll::testing
