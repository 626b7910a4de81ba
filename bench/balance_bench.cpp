#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/balance/placement_summary.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/reader.hpp>

// Strategies from filled LDStats to to_proc, on loads 10 us + 2990 us * u^4 with u uniform, placed in blocks.
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

// Strategies with a work model on data sets of others, skipped where these are absent.
void balance_toy(benchmark::State& state, const std::string& strategy, const std::string& toy,
                 const plimsoll::balance::ParameterMap& parameters) {
  const std::string folder = std::string(PLIMSOLL_SHARED_DIR) + "/data/lb/" + toy;
  if (!std::filesystem::exists(folder)) {
    state.SkipWithError("no data");
    return;
  }
  const auto dataset = plimsoll::lbdata::read(plimsoll::lbdata::find_rank_files({folder})).dataset;
  LDStats stats = plimsoll::balance::load_phase(dataset, 0, {.memory = true}).stats;
  const auto balancer = plimsoll::balance::StrategyRegistry::builtin().create(strategy, parameters);
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  state.counters["imbalance"] = plimsoll::balance::summarise(stats, stats.to_proc).imbalance;
}

const plimsoll::balance::ParameterMap memory = {{"max_memory_bytes", "8.0e9"}};
const plimsoll::balance::ParameterMap five_blocks = {{"max_blocks_per_rank", "5"}};
BENCHMARK_CAPTURE(balance_toy, ClusterLB_fewer, "ClusterLB", "challenging_toy_fewer_tasks", memory)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(balance_toy, ClusterLB_hundreds, "ClusterLB", "challenging_toy_hundreds_tasks", five_blocks)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(balance_toy, OptimalLB_fewer, "OptimalLB", "challenging_toy_fewer_tasks", memory)
    ->Unit(benchmark::kMillisecond);

}  // namespace
