#include <benchmark/benchmark.h>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/partition/free_objects.hpp"
#include "starts.hpp"

// Compares GraphPartLB, from filled LDStats to to_proc, with METIS called directly on the same graph, in turn
// in one process. METIS gets the options of Charm++'s MetisLB: recursive bisection, one cut, vertex weights
// of 1 to 256, tolerance 1.1. Its time includes only the call, and not the construction of the graph. All
// values are means over seeds: "times_metis" of CPU times, "cut/metis" of the bytes between ranks. "max/avg"
// is the worst.

namespace {

using namespace plimsoll::bench;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Partitions as Charm++'s MetisLB does.
class Metis {
 public:
  explicit Metis(const LDStats& stats) : n_parts_(static_cast<idx_t>(stats.procs.size())) {
    const double none_heavy[] = {1e9};
    FreeObjects free = free_objects(stats, none_heavy);
    graph_ = std::move(free.graph);
    const double heaviest = std::ranges::max(free.loads);
    for (std::size_t object = 0; object < free.loads.size(); ++object)
      graph_.vertex_weights[object] = static_cast<idx_t>(std::ceil(free.loads[object] * 256 / heaviest));
  }

  std::vector<idx_t> partition(idx_t seed) {
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    idx_t n_vertices = graph_.n_vertices();
    idx_t n_dimensions = 1;
    idx_t cut = 0;
    real_t tolerance = 1.1F;
    std::vector<idx_t> parts(static_cast<std::size_t>(n_vertices));
    METIS_PartGraphRecursive(&n_vertices, &n_dimensions, graph_.begin.data(), graph_.neighbors.data(),
                             graph_.vertex_weights.data(), nullptr, graph_.edge_weights.data(), &n_parts_,
                             nullptr, &tolerance, options, &cut, parts.data());
    return parts;
  }

 private:
  PartitionGraph graph_;
  idx_t n_parts_;
};

void against_metis(benchmark::State& state, LDStats (*start)(std::size_t, std::size_t)) {
  LDStats stats = start(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  Metis metis(stats);
  double seconds = 0;
  double metis_seconds = 0;
  double bytes = 0;
  double metis_bytes = 0;
  double max = 0;
  double metis_max = 0;
  idx_t seed = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto strategy =
        StrategyRegistry::builtin().create("GraphPartLB", {{"seed", std::to_string(++seed)}});
    const double begin = cpu_seconds();
    strategy->work(stats);
    const double middle = cpu_seconds();
    const std::vector<idx_t> parts = metis.partition(seed);
    metis_seconds += cpu_seconds() - middle;
    seconds += middle - begin;
    state.SetIterationTime(middle - begin);
    bytes += rank_traffic(stats, stats.to_proc).off_rank_bytes();
    metis_bytes += rank_traffic(stats, parts).off_rank_bytes();
    max = std::max(max, relative_max_load(stats, stats.to_proc));
    metis_max = std::max(metis_max, relative_max_load(stats, parts));
  }
  state.counters["times_metis"] = seconds / metis_seconds;
  state.counters["cut/metis"] = bytes / metis_bytes;
  state.counters["max/avg"] = max;
  state.counters["metis_max/avg"] = metis_max;
}

void size(benchmark::internal::Benchmark* bench, std::int64_t n_objs, std::int64_t n_procs, int seeds) {
  bench->Args({n_objs, n_procs})->Iterations(seeds)->UseManualTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(against_metis, mesh, mesh)->Apply([](auto* bench) { size(bench, 64'000, 64, 20); });
BENCHMARK_CAPTURE(against_metis, mesh, mesh)->Apply([](auto* bench) { size(bench, 1'000'000, 1024, 3); });
BENCHMARK_CAPTURE(against_metis, irregular, irregular)->Apply([](auto* bench) {
  size(bench, 64'000, 64, 20);
});
BENCHMARK_CAPTURE(against_metis, irregular, irregular)->Apply([](auto* bench) {
  size(bench, 1'000'000, 1024, 3);
});

}  // namespace
