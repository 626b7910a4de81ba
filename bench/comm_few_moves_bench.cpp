#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>
// Include <cstdio> first, because scotch.h requires it.
#include <scotch.h>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/partition/free_objects.hpp"
#include "comm_starts.hpp"

// Compares, per input, the off-rank communication that strategies reach with few migrations:
// CommAwareRefineLB with several costs of a migration, DiffusionLB, GraphPartLB (METIS, and parts on the
// ranks that they overlap most), and Scotch's repartitioning with several costs of a migration, called
// directly. Counters: "max" is the maximum load relative to the average, "cut" the off-rank bytes relative to
// the start, "MB" these bytes, "moved" the share of migrated objects, "times" the CPU time divided by that of
// GraphPartLB in the same run.

namespace {

using namespace plimsoll::bench;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double off_rank_bytes(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  return rank_traffic(stats, placement).off_rank_bytes();
}

/// Repartitions with Scotch. `migration_cost` is relative to the mean communication of an object.
std::vector<std::int32_t> repartition_with_scotch(const LDStats& stats, double migration_cost) {
  const double none_heavy[] = {1e9};
  FreeObjects free = free_objects(stats, none_heavy);
  PartitionGraph& graph = free.graph;
  double weight_per_object = 0;
  for (const std::int32_t weight : graph.edge_weights) weight_per_object += weight;
  weight_per_object /= graph.n_vertices();

  SCOTCH_Graph scotch_graph;
  SCOTCH_Strat method;
  SCOTCH_graphInit(&scotch_graph);
  SCOTCH_stratInit(&method);
  SCOTCH_Context context;
  SCOTCH_contextInit(&context);
  SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
  SCOTCH_contextThreadSpawn(&context, 1, nullptr);
  const auto n_parts = static_cast<SCOTCH_Num>(stats.procs.size());
  SCOTCH_graphBuild(&scotch_graph, 0, graph.n_vertices(), graph.begin.data(), nullptr,
                    graph.vertex_weights.data(), nullptr, static_cast<SCOTCH_Num>(graph.neighbors.size()),
                    graph.neighbors.data(), graph.edge_weights.data());
  SCOTCH_Graph bound_graph;
  SCOTCH_graphInit(&bound_graph);
  SCOTCH_contextBindGraph(&context, &scotch_graph, &bound_graph);
  SCOTCH_stratGraphMapBuild(&method, SCOTCH_STRATBALANCE | SCOTCH_STRATREMAP, n_parts, 0.05);
  std::vector<SCOTCH_Num> present(stats.from_proc.begin(), stats.from_proc.end());
  std::vector<SCOTCH_Num> parts(present.size());
  if (SCOTCH_graphRepart(&bound_graph, n_parts, present.data(), migration_cost * weight_per_object, nullptr,
                         &method, parts.data()) != 0)
    parts = present;
  SCOTCH_stratExit(&method);
  SCOTCH_graphExit(&bound_graph);
  SCOTCH_graphExit(&scotch_graph);
  SCOTCH_contextExit(&context);
  return {parts.begin(), parts.end()};
}

std::vector<std::int32_t> placed_by(LDStats& stats, const std::string& strategy,
                                    const ParameterMap& parameters = {}) {
  StrategyRegistry::builtin().create(strategy, parameters)->work(stats);
  return stats.to_proc;
}

using Place = std::function<std::vector<std::int32_t>(LDStats&)>;

void compare(benchmark::State& state, LDStats (*start)(), const Place& place) {
  LDStats stats = start();
  std::vector<std::int32_t> placement;
  double seconds = 0;
  double graph_part_seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double begin = cpu_seconds();
    placement = place(stats);
    const double middle = cpu_seconds();
    placed_by(stats, "GraphPartLB", {{"tolerance", "1.05"}});
    graph_part_seconds += cpu_seconds() - middle;
    seconds += middle - begin;
    state.SetIterationTime(middle - begin);
  }
  const double bytes = off_rank_bytes(stats, placement);
  state.counters["max"] = relative_max_load(stats, placement);
  state.counters["cut"] = bytes / off_rank_bytes(stats, stats.from_proc);
  state.counters["MB"] = bytes * 1e-6;
  state.counters["moved"] = static_cast<double>(assess(stats, placement).n_moved) / stats.n_objs();
  state.counters["times"] = seconds / graph_part_seconds;
}

void add(const std::string& input, LDStats (*start)(), const std::string& strategy, const Place& place) {
  benchmark::RegisterBenchmark((input + "/" + strategy).c_str(),
                               [=](benchmark::State& state) { compare(state, start, place); })
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void add_strategies(const std::string& input, LDStats (*start)()) {
  for (const std::string cost : {"0.3", "0.03", "0.01", "0"})
    add(input, start, "CommAwareRefineLB/" + cost, [=](LDStats& stats) {
      return placed_by(stats, "CommAwareRefineLB", {{"migration_cost", cost}});
    });
  add(input, start, "DiffusionLB", [](LDStats& stats) { return placed_by(stats, "DiffusionLB"); });
  add(input, start, "GraphPartLB", [](LDStats& stats) {
    return placed_by(stats, "GraphPartLB", {{"tolerance", "1.05"}});
  });
  for (const std::string cost : {"0.3", "0.03", "0.01"})
    add(input, start, "Scotch/" + cost,
        [=](LDStats& stats) { return repartition_with_scotch(stats, std::stod(cost)); });
}

const int registered = [] {
  add_strategies("scattered", scattered);
  add_strategies("ramp", ramp);
  add_strategies("bump_at_corner_of_blocks", [] { return bump(19.5, 3); });
  add_strategies("bump_in_block", [] { return bump(14.5, 4); });
  add_strategies("wide_bump_in_block", [] { return bump(14.5, 6); });
  add_strategies("geometric", geometric);
  add_strategies("power_law", power_law);
  add(
      "million", [] { return cube(100, 10, [](double x, double, double) { return x + 14; }); },
      "CommAwareRefineLB/0.3", [](LDStats& stats) { return placed_by(stats, "CommAwareRefineLB"); });
  return 0;
}();

}  // namespace
