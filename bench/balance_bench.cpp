#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/reader.hpp>

#include "balance/stats_factory.hpp"
#include "starts.hpp"

// Measures strategies from filled LDStats to to_proc, on loads of 10 us + 2990 us * u^4 with u uniform,
// placed in blocks. Strategies that use communication get a cube of objects that send one message to each
// neighbour. "sorts" is the time of one run relative to std::sort of the same loads, which makes machines
// comparable.

namespace {

using namespace plimsoll::bench;

double seconds_to_sort(const LDStats& stats) {
  std::vector<double> loads;
  for (const auto& object : stats.obj_data) loads.push_back(static_cast<double>(object.walltime));
  const auto start = std::chrono::steady_clock::now();
  std::ranges::sort(loads);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  benchmark::DoNotOptimize(loads.data());
  return elapsed.count();
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
      static_cast<double>(assess(stats, stats.to_proc).n_moved) / static_cast<double>(stats.n_objs());
  const auto off_rank_messages = [&](const std::vector<std::int32_t>& placement) {
    return static_cast<double>(rank_traffic(stats, placement).off_rank_messages());
  };
  if (!stats.comm_data.empty())
    state.counters["off-rank"] = off_rank_messages(stats.to_proc) / off_rank_messages(stats.from_proc);
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->Args({100'000, 1024})
      ->Args({1'000'000, 1024})
      ->Args({100'000, 16384})
      ->Args({10'000'000, 16384})
      ->Unit(benchmark::kMillisecond);
}

/// Runs RefineLB with a tolerance of 1 + range / 10^5; "needed" is the number of migrations divided by
/// testing::needed_moves().
void refine(benchmark::State& state, LDStats stats) {
  const double tolerance = 1 + static_cast<double>(state.range(0)) * 1e-5;
  const auto balancer =
      StrategyRegistry::builtin().create("RefineLB", {{"tolerance", std::to_string(tolerance)}});
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  const auto summary = assess(stats, stats.to_proc);
  const auto moved = static_cast<double>(summary.n_moved);
  state.counters["max/avg"] = summary.imbalance + 1;
  state.counters["moved"] = moved / static_cast<double>(stats.n_objs());
  state.counters["needed"] = moved / testing::needed_moves(stats, tolerance * summary.mean_time_s);
}

/// Few objects per rank with uniform loads from 1 to 100, ten cases each; "above_bound" is the mean of max /
/// lower bound - 1.
void few_objects(benchmark::State& state, const std::string& strategy) {
  const auto per_rank = static_cast<std::size_t>(state.range(0));
  const auto n_procs = static_cast<std::size_t>(state.range(1));
  std::mt19937_64 random(1);
  std::vector<LDStats> starts;
  for (int k = 0; k < 10; ++k) {
    starts.push_back(block_start(per_rank * n_procs, n_procs));
    for (auto& object : starts.back().obj_data)
      object.walltime = static_cast<LBRealType>(1 + 99 * static_cast<double>(random() >> 11) * 0x1.0p-53);
  }
  const auto balancer = StrategyRegistry::builtin().create(strategy);
  for ([[maybe_unused]] auto _ : state)
    for (LDStats& stats : starts) balancer->work(stats);
  double above = 0;
  for (const LDStats& stats : starts)
    above += assess(stats, stats.to_proc).max_time_s / lower_bound(stats).time_s - 1;
  state.counters["above_bound"] = above / 10;
}

void size(benchmark::internal::Benchmark* bench, std::int64_t n_objs, std::int64_t n_procs) {
  bench->Args({n_objs, n_procs})->Unit(benchmark::kMillisecond);
}

void mesh_sizes(benchmark::internal::Benchmark* bench) {
  size(bench, 64'000, 64);  // 40^3
  size(bench, 1'000'000, 1024);
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
BENCHMARK_CAPTURE(refine, six_a_rank, block_start(100'000, 16384))
    ->Arg(1000)
    ->Arg(100)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(refine, ramp, ramp_start(100'000, 1024))->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(few_objects, RefineSwapLB, "RefineSwapLB")
    ->Args({3, 16})
    ->Args({5, 64})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(balance, RefineLB_vectors, "RefineLB", two_loads, {{"tolerance", "1.01"}})
    ->Apply([](auto* bench) {
      size(bench, 10'000, 64);
      size(bench, 1'000'000, 1024);
      size(bench, 100'000, 16384);
    });
BENCHMARK_CAPTURE(balance, RotateLB, "RotateLB")->Apply(sizes);
BENCHMARK_CAPTURE(balance, RandomLB, "RandomLB")->Apply(sizes);

BENCHMARK_CAPTURE(balance, MetisLB_mesh, "MetisLB", mesh)->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, MetisLB_one_cut_mesh, "MetisLB", mesh, {{"cuts", "1"}})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, MetisLB_kway_mesh, "MetisLB", mesh, {{"method", "kway"}})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, ScotchLB_mesh, "ScotchLB", mesh)->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, ScotchLB_kway_mesh, "ScotchLB", mesh, {{"method", "kway"}})->Apply(mesh_sizes);
BENCHMARK_CAPTURE(balance, RecBipartLB_mesh, "RecBipartLB", mesh)->Apply(mesh_sizes);

// Measures strategies with a work model on third-party data sets, skipped if these are absent.
void balance_toy(benchmark::State& state, const std::string& strategy, const std::string& toy,
                 const ParameterMap& parameters) {
  const std::string folder = std::string(PLIMSOLL_SHARED_DIR) + "/data/lb/" + toy;
  if (!std::filesystem::exists(folder)) {
    state.SkipWithError("no data");
    return;
  }
  const auto dataset = plimsoll::lbdata::read(plimsoll::lbdata::find_rank_files({folder})).dataset;
  LDStats stats = load_phase(dataset, 0, {.memory = true}).stats;
  const auto balancer = StrategyRegistry::builtin().create(strategy, parameters);
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  state.counters["imbalance"] = assess(stats, stats.to_proc).imbalance;
}

const ParameterMap memory = {{"max_memory_bytes", "8.0e9"}};
const ParameterMap five_blocks = {{"max_blocks_per_rank", "5"}};
BENCHMARK_CAPTURE(balance_toy, ClusterLB_fewer, "ClusterLB", "challenging_toy_fewer_tasks", memory)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(balance_toy, ClusterLB_hundreds, "ClusterLB", "challenging_toy_hundreds_tasks", five_blocks)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(balance_toy, OptimalLB_fewer, "OptimalLB", "challenging_toy_fewer_tasks", memory)
    ->Unit(benchmark::kMillisecond);

}  // namespace
