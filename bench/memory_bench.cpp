#include <benchmark/benchmark.h>

#include <algorithm>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/block_factory.hpp"
#include "balance/search/memory_bound.hpp"

// Compares strategies with memory limits with the lower bound that includes the limits. Each rank has memory
// for `slots` copies of blocks, and `full` is the number of blocks relative to all slots. "bound" is the
// lower bound relative to the mean; "above" is max / bound - 1; "moved" is the share of migrated objects.

namespace {

using namespace plimsoll::balance;
using testing::BlockLaw;

void within_memory(benchmark::State& state, const std::string& strategy, BlockLaw law) {
  const auto n_ranks = static_cast<std::size_t>(state.range(0));
  const auto slots = static_cast<std::size_t>(state.range(1));
  const std::size_t n_blocks = n_ranks * slots * static_cast<std::size_t>(state.range(2)) / 100;
  LDStats stats = testing::shared_blocks(n_ranks, n_blocks, 50, law, 1);
  const auto balancer = StrategyRegistry::builtin().create(
      strategy, {{"max_memory_bytes", std::to_string(testing::memory_of_blocks(slots))}});
  for ([[maybe_unused]] auto _ : state) balancer->work(stats);
  const double bound_s = max_work_lower_bound(stats, WorkGoal::of_time(Limits(balancer->parameters())));
  const Quality quality = assess(stats, stats.to_proc);
  state.counters["bound"] = bound_s / quality.mean_time_s;
  state.counters["above"] = quality.max_time_s / bound_s - 1;
  state.counters["moved"] = static_cast<double>(quality.n_moved) / static_cast<double>(stats.n_objs());
}

void laws(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "slots", "full"})->Unit(benchmark::kMillisecond)->Iterations(1);
  for (const std::int64_t ranks : {16, 64, 256, 1024})
    for (const std::int64_t slots : {2, 4, 8})
      for (const std::int64_t full : {100, 98, 90, 80, 50}) bench->Args({ranks, slots, full});
}

BENCHMARK_CAPTURE(within_memory, ClusterLB_even, "ClusterLB", BlockLaw::even)->Apply(laws);
BENCHMARK_CAPTURE(within_memory, ClusterLB_hot_spot, "ClusterLB", BlockLaw::hot_spot)->Apply(laws);
BENCHMARK_CAPTURE(within_memory, ClusterLB_heavy_tailed, "ClusterLB", BlockLaw::heavy_tailed)->Apply(laws);

}  // namespace
