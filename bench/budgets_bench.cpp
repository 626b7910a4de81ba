#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <string>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "starts.hpp"

// Measures limits on migrations. Counters of "limited": "times" is the time with a limit divided by the time
// without, "max" and "cut" are the maximum load and the off-rank bytes relative to those without limit, and
// "moved" is the number of migrations relative to the limit. Limits are a share of the migrations without
// limit.
//
// Counter of "needless": "times" is the time with the search for needless migrations divided by the time of
// the strategy alone, and "moved" the share of migrations that remain.

namespace {

using namespace plimsoll::bench;

double cpu_seconds(Strategy& strategy, LDStats& stats) {
  const std::clock_t start = std::clock();
  strategy.work(stats);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Creates a cube of 64,000 objects of equal load in blocks on 64 ranks, with 5 % of them on random ranks.
LDStats disturbed_stencil() {
  constexpr std::int32_t side = 40;
  LDStats stats = mesh(64'000, 64);
  std::mt19937_64 random(7);
  for (std::int32_t object = 0; object < side * side * side; ++object) {
    const std::int32_t x = object / (side * side) / 10;
    const std::int32_t y = object / side % side / 10;
    const std::int32_t z = object % side / 10;
    const auto index = static_cast<std::size_t>(object);
    stats.from_proc[index] =
        random() % 20 == 0 ? static_cast<std::int32_t>(random() % 64) : (x * 4 + y) * 4 + z;
    stats.obj_data[index].walltime = static_cast<LBRealType>(1e-3);
  }
  return stats;
}

/// Creates Pareto loads with exponent 1.5 in blocks.
LDStats pareto() {
  LDStats stats = block_start(64'000, 64);
  std::mt19937_64 random(7);
  for (LDObjData& object : stats.obj_data)
    object.walltime = static_cast<LBRealType>(
        1e-4 * std::pow(1 - static_cast<double>(random() >> 11) * 0x1.0p-53, -1 / 1.5));
  return stats;
}

void limited(benchmark::State& state, LDStats stats, const std::string& strategy, double share) {
  const auto& registry = StrategyRegistry::builtin();
  double free_s = 0;
  double limited_s = 0;
  Quality all;
  Quality part;
  double limit = 0;
  for ([[maybe_unused]] auto _ : state) {
    free_s += cpu_seconds(*registry.create(strategy), stats);
    all = assess(stats, stats.to_proc);
    limit = std::floor(share * static_cast<double>(all.n_moved));
    const auto with_limit =
        registry.create(strategy, {{"max_moves", std::to_string(static_cast<std::int64_t>(limit))}});
    limited_s += cpu_seconds(*with_limit, stats);
    part = assess(stats, stats.to_proc);
  }
  state.counters["times"] = limited_s / free_s;
  state.counters["max"] = part.max_time_s / all.max_time_s;
  state.counters["cut"] = all.off_rank_bytes > 0 ? part.off_rank_bytes / all.off_rank_bytes : 0;
  state.counters["moved"] = static_cast<double>(part.n_moved) / limit;
}

void needless(benchmark::State& state, LDStats stats, const std::string& name) {
  const StrategyInfo& info = StrategyRegistry::builtin().info(name);
  const auto alone = info.make(Parameters(info.name, info.parameters, {}));
  const auto complete = StrategyRegistry::builtin().create(name);
  double alone_s = 0;
  double complete_s = 0;
  double n_alone = 0;
  double n_complete = 0;
  for ([[maybe_unused]] auto _ : state) {
    alone_s += cpu_seconds(*alone, stats);
    n_alone = static_cast<double>(assess(stats, stats.to_proc).n_moved);
    complete_s += cpu_seconds(*complete, stats);
    n_complete = static_cast<double>(assess(stats, stats.to_proc).n_moved);
  }
  state.counters["times"] = complete_s / alone_s;
  state.counters["moved"] = n_complete / n_alone;
}

const int registered = [] {
  for (const double share : {0.999, 0.5, 0.1})
    for (const auto& [name, start, strategy] :
         {std::tuple("stencil", &disturbed_stencil, "CommAwareRefineLB"),
          {"pareto", &pareto, "RefineLB"},
          {"pareto", &pareto, "HierarchicalLB"}})
      benchmark::RegisterBenchmark(
          ("limited/" + std::string(name) + "/" + strategy + "/" + std::to_string(share)).c_str(),
          [start = start, strategy = strategy, share](benchmark::State& state) {
            limited(state, start(), strategy, share);
          })
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
  for (const char* strategy : {"GreedyLB", "RefineLB", "HierarchicalLB"})
    benchmark::RegisterBenchmark(
        ("needless/" + std::string(strategy)).c_str(),
        [=](benchmark::State& state) { needless(state, on_nodes(1'000'000, 1'024), strategy); })
        ->Iterations(10)
        ->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
