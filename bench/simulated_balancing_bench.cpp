// Measures what the rule of balancing (docs/explanation/when-to-balance.md) gains and costs in simulated
// programs. One benchmark per size of the objects, for two sets of programs:
//   grid             laws of work (tests/balance/schedule/scenarios.hpp), white noise of 2 and 10 %, few and
//                    many objects, 2 and 4 ranks, alone and next to a process that uses one core after the
//                    other
//   random_programs  everything is random (tests/balance/schedule/random_program.hpp)
// Hindsight knows the work of all phases, and pays the true prices (tests/balance/schedule/hindsight.hpp).
// Counters:
//   cells      number of programs
//   lost       programs that take more than 1.03 times as long with balancing as without
//   worst      maximum of that ratio
//   possible   programs in which balancing saves 20 % or more if it costs nothing, and hindsight 5 % or more
//   missed     those in which the rule reaches less than 70 % of the savings with hindsight
//   reached    mean part of these savings that the rule reaches
//   ratio      mean time with balancing, divided by that without
//   best       the same with hindsight
// With SIMULATED_BALANCING_CELLS=1 in the environment, prints a line for each lost or missed cell.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "balance/schedule/hindsight.hpp"
#include "balance/schedule/random_program.hpp"
#include "balance/schedule/scenarios.hpp"
#include "balance/schedule/simulated_program.hpp"
#include "balance/search/random.hpp"

namespace {

using plimsoll::balance::Random;
using plimsoll::balance::testing::normal;
using plimsoll::balance::testing::random_program;
using plimsoll::balance::testing::simulate;
using plimsoll::balance::testing::SimulatedProgram;
using plimsoll::balance::testing::SimulatedRun;
using plimsoll::balance::testing::time_with_hindsight;
using plimsoll::balance::testing::time_without_prices;
using plimsoll::balance::testing::When;
using plimsoll::balance::testing::WorkLaw;

constexpr int n_phases = 200;
constexpr double fewest_savings = 0.05;  // that balancing can be expected to reach a part of

double uniform(std::uint64_t seed) {
  return Random(seed).uniform();
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

struct Counts {
  int cells = 0;
  int lost = 0;
  double worst = 0;
  int possible = 0;
  int missed = 0;
  double reached = 0;  // sum over the possible ones
  double ratios = 0;   // sums over all cells
  double best_ratios = 0;

  void add(const SimulatedProgram& program, const std::string& text) {
    const double never_s = simulate(program, When::never).time_s;
    const double best_s = time_with_hindsight(program, never_s);
    const SimulatedRun pays = simulate(program, When::pays);
    const double ratio = pays.time_s / never_s;
    const double part = (never_s - pays.time_s) / (never_s - best_s);
    const bool is_possible =
        time_without_prices(program) <= 0.8 * never_s && best_s <= (1 - fewest_savings) * never_s;
    const bool is_lost = ratio > 1.03;
    const bool is_missed = is_possible && part < 0.7;
    ++cells;
    lost += is_lost ? 1 : 0;
    missed += is_missed ? 1 : 0;
    possible += is_possible ? 1 : 0;
    if (is_possible) reached += std::clamp(part, -1.0, 1.0);
    worst = std::max(worst, ratio);
    ratios += ratio;
    best_ratios += best_s / never_s;
    if ((is_lost || is_missed) && std::getenv("SIMULATED_BALANCING_CELLS") != nullptr)
      fmt::print("{} {}: with / without {:.3f}, possible {:.3f}, {} migrations from phase {} on\n",
                 is_lost ? "lost  " : "missed", text, ratio, best_s / never_s, pays.move_phases.size(),
                 pays.move_phases.empty() ? -1 : pays.move_phases.front());
  }

  void report(benchmark::State& state) const {
    state.counters["cells"] = cells;
    state.counters["lost"] = lost;
    state.counters["worst"] = worst;
    state.counters["possible"] = possible;
    state.counters["missed"] = missed;
    state.counters["reached"] = possible == 0 ? 1 : reached / possible;
    state.counters["ratio"] = ratios / cells;
    state.counters["best"] = best_ratios / cells;
  }
};

void grid(benchmark::State& state, double object_bytes, std::size_t many_objects) {
  for (auto _ : state) {
    Counts counts;
    for (const bool is_busy : {false, true})
      for (const std::size_t n_ranks : {2, 4})
        for (const double noise : {0.02, 0.1})
          for (const WorkLaw& law : plimsoll::balance::testing::work_laws())
            for (const std::size_t per_rank : {many_objects, std::size_t{3}}) {
              const Cell cell{law, object_bytes, n_ranks, per_rank, noise, is_busy};
              counts.add(program_of(cell), cell.text());
            }
    counts.report(state);
  }
}

void random_programs(benchmark::State& state, double object_bytes) {
  for (auto _ : state) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 90; ++seed) {
      const auto random = random_program(seed + static_cast<std::uint64_t>(object_bytes), object_bytes);
      counts.add(random.program, random.text);
    }
    counts.report(state);
  }
}

BENCHMARK_CAPTURE(grid, objects_of_1_kB, 1e3, 32)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(grid, objects_of_1_MB, 1e6, 32)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(grid, objects_of_100_MB, 1e8, 8)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_programs, objects_of_1_kB, 1e3)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_programs, objects_of_1_MB, 1e6)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_programs, objects_of_10_MB, 1e7)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_programs, objects_of_30_MB, 3e7)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_programs, objects_of_100_MB, 1e8)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
