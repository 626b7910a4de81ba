// Measures what the rule of balancing (docs/explanation/when-to-balance.md) gains and costs in a grid of
// simulated programs: laws of work (tests/balance/schedule/scenarios.hpp), white noise of 2 and 10 %, few and
// many objects, 2 and 4 ranks, alone and next to a process that uses one core after the other. One benchmark
// per size of the objects. Counters:
//   cells      number of programs
//   lost       programs that take more than 1.03 times as long with balancing as without
//   worst      maximum of that ratio
//   possible   programs in which balancing with known work saves 20 % or more
//   missed     those in which the rule reaches less than 70 % of these savings
//   reached    mean part of these savings that the rule reaches
// With SIMULATED_BALANCING_CELLS=1 in the environment, prints a line for each lost or missed cell.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "balance/schedule/scenarios.hpp"
#include "balance/schedule/simulated_program.hpp"
#include "balance/search/random.hpp"

namespace {

using plimsoll::balance::Random;
using plimsoll::balance::testing::simulate;
using plimsoll::balance::testing::SimulatedProgram;
using plimsoll::balance::testing::SimulatedRun;
using plimsoll::balance::testing::Simulation;
using plimsoll::balance::testing::When;
using plimsoll::balance::testing::WorkLaw;

constexpr int n_phases = 200;

double uniform(std::uint64_t seed) {
  return Random(seed).uniform();
}

/// Returns a number with mean 0 and standard deviation 1, about normal.
double normal(std::uint64_t seed) {
  Random random(seed);
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

struct Cell {
  const WorkLaw& law;
  double object_bytes;
  std::size_t n_ranks;
  std::size_t objects_per_rank;
  double noise;
  bool is_busy;

  std::string text() const {
    return fmt::format("{:12} {:2} x {:5.0e} bytes per rank, {} ranks, {:2.0f} % noise, {}", law.name,
                       objects_per_rank, object_bytes, n_ranks, 100 * noise, is_busy ? "busy" : "alone");
  }
};

SimulatedProgram program_of(const Cell& cell) {
  SimulatedProgram program{.n_ranks = cell.n_ranks,
                           .objects_per_rank = cell.objects_per_rank,
                           .n_phases = n_phases,
                           .mean_load_s = 0.02,
                           .object_bytes = cell.object_bytes};
  const std::size_t n_objects = program.n_objects();
  program.load = [cell, n_objects](std::size_t object, int phase) {
    return cell.law.work(object, n_objects, cell.n_ranks, phase, n_phases);
  };
  program.noise = [cell](std::size_t rank, int phase) {
    const auto of_phase = static_cast<std::uint64_t>(phase);
    const double white = std::max(0.3, 1 + cell.noise * normal(rank * 7919 + of_phase * 104729 + 17));
    return cell.is_busy ? white * (1 + 0.1 * uniform(of_phase / 7 * 31 + rank * 977 + 5)) : white;
  };
  program.slowdown = [cell](std::size_t rank, int phase) {
    if (!cell.is_busy) return 1.0;
    const auto of_phase = static_cast<std::uint64_t>(phase);
    const std::size_t victim = Random(of_phase / 9 * 131 + 7).next() % cell.n_ranks;
    const double part = uniform(of_phase * 131 + rank);
    return victim == rank ? 1.6 + 0.6 * part : 1 + 0.05 * part;
  };
  program.is_disturbed = cell.is_busy;
  program.decision_s = 200e-6;
  program.latency_s = 200e-6;
  program.s_per_object = 20e-6;
  program.s_per_byte = 0.5e-9;
  program.first_migration_factor = 3;
  return program;
}

/// Returns the time if the true work of each phase is known, and objects migrate in each `period`-th phase
/// from phase `first` on. Gives up when it exceeds `limit_s`.
double time_with_known_work(const SimulatedProgram& noisy, int first, int period, double limit_s) {
  SimulatedProgram program = noisy;
  program.first_migration_factor = 1;
  Simulation simulation(program);
  for (int phase = 0; phase < n_phases && simulation.outcome.time_s < limit_s; ++phase) {
    simulation.run_phase();
    if (phase < first || (phase - first) % period != 0) continue;
    const Simulation::Plan plan = simulation.decide(true);
    simulation.outcome.time_s += program.decision_s;
    if (plan.moves > 0) simulation.migrate(plan);
  }
  return simulation.outcome.time_s;
}

/// Returns the minimum time of several periods of balancing with known work; `never_s` is that without.
double best_time(const SimulatedProgram& program, double never_s) {
  double best_s = never_s;
  for (const int period : {1, 3, 7, 20, 50, n_phases})
    for (const int first : {1, 2, n_phases / 4 + 1})
      best_s = std::min(best_s, time_with_known_work(program, first, period, best_s));
  return best_s;
}

struct Counts {
  int cells = 0;
  int lost = 0;
  double worst = 0;
  int possible = 0;
  int missed = 0;
  double reached = 0;  // sum over the possible ones

  void add(const Cell& cell) {
    const SimulatedProgram program = program_of(cell);
    const double never_s = simulate(program, When::never).time_s;
    const double best_s = best_time(program, never_s);
    const SimulatedRun pays = simulate(program, When::pays);
    const double ratio = pays.time_s / never_s;
    const double part = (never_s - pays.time_s) / (never_s - best_s);
    const bool is_possible = best_s <= 0.8 * never_s;
    const bool is_lost = ratio > 1.03;
    const bool is_missed = is_possible && part < 0.7;
    ++cells;
    lost += is_lost ? 1 : 0;
    missed += is_missed ? 1 : 0;
    possible += is_possible ? 1 : 0;
    if (is_possible) reached += std::clamp(part, -1.0, 1.0);
    worst = std::max(worst, ratio);
    if ((is_lost || is_missed) && std::getenv("SIMULATED_BALANCING_CELLS") != nullptr)
      fmt::print("{} {}: with / without {:.3f}, possible {:.3f}, {} migrations from phase {} on\n",
                 is_lost ? "lost  " : "missed", cell.text(), ratio, best_s / never_s, pays.move_phases.size(),
                 pays.move_phases.empty() ? -1 : pays.move_phases.front());
  }
};

void run(benchmark::State& state, double object_bytes, std::size_t many_objects) {
  for (auto _ : state) {
    Counts counts;
    for (const bool is_busy : {false, true})
      for (const std::size_t n_ranks : {2, 4})
        for (const double noise : {0.02, 0.1})
          for (const WorkLaw& law : plimsoll::balance::testing::work_laws())
            for (const std::size_t per_rank : {many_objects, std::size_t{3}})
              counts.add({law, object_bytes, n_ranks, per_rank, noise, is_busy});
    state.counters["cells"] = counts.cells;
    state.counters["lost"] = counts.lost;
    state.counters["worst"] = counts.worst;
    state.counters["possible"] = counts.possible;
    state.counters["missed"] = counts.missed;
    state.counters["reached"] = counts.possible == 0 ? 1 : counts.reached / counts.possible;
  }
}

BENCHMARK_CAPTURE(run, objects_of_1_kB, 1e3, 32)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(run, objects_of_1_MB, 1e6, 32)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(run, objects_of_100_MB, 1e8, 8)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
