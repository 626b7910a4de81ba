#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <random>

#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/strategy_registry.hpp>

// Strategies from filled LDStats to to_proc, on loads 10 us + 2990 us * u^4 with u uniform, placed in blocks.
// "sorts" is the time of one run in units of std::sort of the same loads, which compares machines.

namespace {

using plimsoll::balance::LDStats;

LDStats block_start(std::size_t n_objs, std::size_t n_procs) {
  std::mt19937_64 random(12345);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    const double load_s = 10e-6 + 2990e-6 * u * u * u * u;
    stats.obj_data.push_back({static_cast<plimsoll::balance::LBRealType>(load_s), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  return stats;
}

/// The same objects as a 3-D mesh of the given side, with an edge of 1 kB between neighbours each way.
LDStats mesh_start(std::size_t side, std::size_t n_procs) {
  LDStats stats = block_start(side * side * side, n_procs);
  stats.n_axes = 3;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const std::size_t index[] = {object / (side * side), object / side % side, object % side};
    std::size_t stride = side * side;
    for (const std::size_t coordinate : index) {
      stats.positions.push_back(static_cast<double>(coordinate));
      if (coordinate + 1 < side) {
        const auto here = plimsoll::balance::CommEnd::object(static_cast<std::uint32_t>(object));
        const auto there = plimsoll::balance::CommEnd::object(static_cast<std::uint32_t>(object + stride));
        stats.comm_data.push_back({here, there, 1000, 1});
        stats.comm_data.push_back({there, here, 1000, 1});
      }
      stride /= side;
    }
  }
  return stats;
}

double seconds_to_sort(const LDStats& stats) {
  std::vector<double> loads;
  for (const auto& object : stats.obj_data) loads.push_back(static_cast<double>(object.walltime));
  const auto start = std::chrono::steady_clock::now();
  std::ranges::sort(loads);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  benchmark::DoNotOptimize(loads.data());
  return elapsed.count();
}

void measure(benchmark::State& state, LDStats& stats, const std::string& strategy) {
  const double sort_s = seconds_to_sort(stats);
  const auto balancer = plimsoll::balance::StrategyRegistry::builtin().create(strategy);
  double total_s = 0;
  for ([[maybe_unused]] auto _ : state) {
    stats.to_proc = {};
    const auto start = std::chrono::steady_clock::now();
    balancer->work(stats);
    total_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const auto summary = plimsoll::balance::summarise(stats, stats.to_proc);
  state.counters["sorts"] = total_s / static_cast<double>(state.iterations()) / sort_s;
  state.counters["max/avg"] = summary.imbalance + 1;
  state.counters["moved"] = static_cast<double>(summary.n_moved) / static_cast<double>(stats.n_objs());
}

void balance(benchmark::State& state, const std::string& strategy) {
  LDStats stats =
      block_start(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  measure(state, stats, strategy);
}

/// Arguments: side of the mesh, ranks.
void mesh(benchmark::State& state, const std::string& strategy) {
  LDStats stats =
      mesh_start(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  measure(state, stats, strategy);
  const auto off_rank_messages = [&](const std::vector<std::int32_t>& placement) {
    return static_cast<double>(plimsoll::balance::rank_traffic(stats, placement).off_rank_messages());
  };
  state.counters["off-rank"] = off_rank_messages(stats.to_proc) / off_rank_messages(stats.from_proc);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({100'000, 1024})
      ->Args({1'000'000, 1024})
      ->Args({100'000, 16384})
      ->Unit(benchmark::kMillisecond);
}

void mesh_sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({40, 64})->Args({100, 1024})->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(balance, GreedyLB, "GreedyLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RefineLB, "RefineLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RotateLB, "RotateLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RandomLB, "RandomLB")->Apply(sizes);

BENCHMARK_CAPTURE(mesh, CommAwareRefineLB, "CommAwareRefineLB")->Apply(mesh_sizes);
BENCHMARK_CAPTURE(mesh, OrbLB, "OrbLB")->Apply(mesh_sizes);
BENCHMARK_CAPTURE(mesh, BlockLB, "BlockLB")->Apply(mesh_sizes);

}  // namespace
