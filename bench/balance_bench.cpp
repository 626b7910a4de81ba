#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/rank_traffic.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy_registry.hpp>

// Strategies from filled LDStats to to_proc, on loads 10 us + 2990 us * u^4 with u uniform, placed in blocks.
// Those that look at communication have a cube of objects that send a message to each neighbour.
// "sorts" is the time of one run in units of std::sort of the same loads, which compares machines.

namespace {

using namespace plimsoll::balance;

LDStats block_start(std::size_t n_objs, std::size_t n_procs) {
  std::mt19937_64 random(12345);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    const double load_s = 10e-6 + 2990e-6 * u * u * u * u;
    stats.obj_data.push_back({static_cast<LBRealType>(load_s), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
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

/// Every rank of another speed, from 0.5 to 1.5.
LDStats different_speeds(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p)
    stats.procs[p].pe_speed = 0.5 + static_cast<double>(p) / static_cast<double>(n_procs);
  return stats;
}

/// Each object has one edge, to its neighbour.
LDStats with_edges(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::uint32_t object = 0; object < n_objs; ++object)
    stats.comm_data.push_back({CommEnd::object(object),
                               CommEnd::object((object + 1) % static_cast<std::uint32_t>(n_objs)), 1024, 1});
  return stats;
}

/// A second dimension that is large where the first is small.
LDStats two_dimensions(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  LoadDimension& other = stats.more_loads.emplace_back("other", std::vector<LBRealType>(n_objs));
  for (std::size_t object = 0; object < n_objs; ++object)
    other.of_object[object] = static_cast<LBRealType>(3010e-6) - stats.obj_data[object].walltime;
  return stats;
}

/// 16 ranks a node.
LDStats on_nodes(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p) stats.procs[p].node = static_cast<std::int32_t>(p / 16);
  return stats;
}

/// A 3-D mesh with as many objects a side, and an edge of 1 kB between neighbours each way.
LDStats mesh(std::size_t n_objs, std::size_t n_procs) {
  const auto side = static_cast<std::size_t>(std::lround(std::cbrt(n_objs)));
  LDStats stats = block_start(n_objs, n_procs);
  stats.n_axes = 3;
  for (std::size_t object = 0; object < n_objs; ++object) {
    for (const std::size_t stride : {side * side, side, std::size_t{1}}) {
      const std::size_t coordinate = object / stride % side;
      stats.positions.push_back(static_cast<double>(coordinate));
      if (coordinate + 1 == side) continue;
      const CommEnd here = CommEnd::object(static_cast<std::uint32_t>(object));
      const CommEnd there = CommEnd::object(static_cast<std::uint32_t>(object + stride));
      stats.comm_data.push_back({here, there, 1000, 1});
      stats.comm_data.push_back({there, here, 1000, 1});
    }
  }
  return stats;
}

using Start = LDStats (*)(std::size_t n_objs, std::size_t n_procs);

void balance(benchmark::State& state, const std::string& strategy, Start start_of = block_start,
             const ParameterMap& parameters = {}) {
  LDStats stats =
      start_of(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const double sort_s = seconds_to_sort(stats);
  const auto balancer = StrategyRegistry::builtin().create(strategy, parameters);
  double total_s = 0;
  for ([[maybe_unused]] auto _ : state) {
    stats.to_proc = {};
    const auto start = std::chrono::steady_clock::now();
    balancer->work(stats);
    total_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  state.counters["sorts"] = total_s / static_cast<double>(state.iterations()) / sort_s;
  state.counters["max/avg"] = relative_max_load(stats, stats.to_proc);
  state.counters["moved"] =
      static_cast<double>(summarise(stats, stats.to_proc).n_moved) / static_cast<double>(stats.n_objs());
  const auto off_rank_messages = [&](const std::vector<std::int32_t>& placement) {
    return static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
  };
  if (!stats.comm_data.empty())
    state.counters["off-rank"] = off_rank_messages(stats.to_proc) / off_rank_messages(stats.from_proc);
}

LDStats mesh_start(std::uint32_t side, std::size_t n_procs) {
  using CommEnd;
  LDStats stats = block_start(std::size_t{side} * side * side, n_procs);
  const std::uint32_t strides[] = {side * side, side, 1};
  for (std::uint32_t object = 0; object < side * side * side; ++object)
    for (const std::uint32_t stride : strides) {
      if (object / stride % side + 1 == side) continue;
      const CommEnd one = CommEnd::object(object);
      const CommEnd other = CommEnd::object(object + stride);
      stats.comm_data.push_back({one, other, 1120, 1});
      stats.comm_data.push_back({other, one, 1120, 1});
    }
  return stats;
}

void cut_mesh(benchmark::State& state, const std::string& strategy, const ParameterMap& parameters) {
  LDStats stats =
      mesh_start(static_cast<std::uint32_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const auto balancer = StrategyRegistry::builtin().create(strategy, parameters);
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  const auto messages = [&](const std::vector<std::int32_t>& placement) {
    return static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
  };
  const auto summary = summarise(stats, stats.to_proc);
  state.counters["max/avg"] = summary.imbalance + 1;
  state.counters["messages"] = messages(stats.to_proc) / messages(stats.from_proc);
  state.counters["moved"] = static_cast<double>(summary.n_moved) / static_cast<double>(stats.n_objs());
}

void mesh_sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({40, 64})->Args({100, 1024})->Unit(benchmark::kMillisecond);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({100'000, 1024})
      ->Args({1'000'000, 1024})
      ->Args({100'000, 16384})
      ->Args({10'000'000, 16384})
      ->Unit(benchmark::kMillisecond);
}

void size(benchmark::internal::Benchmark* bench, std::int64_t n_objs, std::int64_t n_procs) {
  bench->Args({n_objs, n_procs})->Unit(benchmark::kMillisecond);
}

void mesh_sizes(benchmark::internal::Benchmark* bench) {
  size(bench, 40 * 40 * 40, 64);
  size(bench, 100 * 100 * 100, 1024);
}

BENCHMARK_CAPTURE(balance, BlockLB_mesh, "BlockLB", mesh)->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, CommAwareRefineLB_mesh, "CommAwareRefineLB", mesh)->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, OrbLB_mesh, "OrbLB", mesh)->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, GreedyLB, "GreedyLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, GreedyLB_edges, "GreedyLB", with_edges)->Apply([](auto* bench) {
  size(bench, 400'000, 4);
});
BENCHMARK_CAPTURE(balance, GreedyLB_speeds, "GreedyLB", different_speeds)->Apply([](auto* bench) {
  size(bench, 100'000, 1000);
});
BENCHMARK_CAPTURE(balance, GreedyLB_vectors, "GreedyLB", two_dimensions)->Apply([](auto* bench) {
  size(bench, 10'000, 64);
  size(bench, 1'000'000, 1024);
});
BENCHMARK_CAPTURE(balance, GreedyRefineLB, "GreedyRefineLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, GreedyRefineLB_5_percent, "GreedyRefineLB", block_start, {{"tolerance", "1.05"}})
    ->Apply(sizes);
BENCHMARK_CAPTURE(balance, HierarchicalLB, "HierarchicalLB", on_nodes)->Apply(sizes);
BENCHMARK_CAPTURE(balance, RefineLB, "RefineLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RotateLB, "RotateLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RandomLB, "RandomLB")->Apply(sizes);

BENCHMARK_CAPTURE(cut_mesh, MetisLB, "MetisLB", {})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(cut_mesh, MetisLB_kway, "MetisLB", {{"method", "kway"}})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(cut_mesh, ScotchLB, "ScotchLB", {})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(cut_mesh, ScotchLB_kway, "ScotchLB", {{"method", "kway"}})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(cut_mesh, RecBipartLB, "RecBipartLB", {})->Apply(mesh_sizes);

}  // namespace
