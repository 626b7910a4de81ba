#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/charm_tree.hpp"
#include "balance/load_laws.hpp"
#include "balance/stats_factory.hpp"

// Compares strategies that migrate few objects with models of two strategies of Charm++ 7 (GreedyRefine and
// RefineA), for several distributions of loads, with objects in blocks. Counters: "max" is the maximum load
// relative to the mean, "moved" the share of migrated objects, "needed" the number of migrations divided by a
// lower bound on it, and "times" the time divided by that of the slower model, measured in the same run.

namespace {

using namespace plimsoll::balance;

struct Result {
  double max;
  double moved;
};

Result result(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  const Quality quality = assess_without_work(stats, placement);
  return {quality.imbalance + 1, static_cast<double>(quality.n_moved)};
}

template <typename Function>
double cpu_seconds(const Function& function) {
  const std::clock_t start = std::clock();
  function();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void compare(benchmark::State& state, const testing::LoadLaw& law, std::size_t n_objs, std::size_t n_procs,
             const std::string& strategy, const ParameterMap& parameters) {
  LDStats stats = testing::stats_by_law(law, n_objs, n_procs, 7);
  const auto balancer = StrategyRegistry::builtin().create(strategy, parameters);
  double ours_s = 0;
  double greedy_refine_s = 0;
  double refine_a_s = 0;
  std::vector<std::int32_t> greedy_refine;
  std::vector<std::int32_t> refine_a;
  for ([[maybe_unused]] auto _ : state) {
    const double time_s = cpu_seconds([&] { balancer->work(stats); });
    state.SetIterationTime(time_s);
    ours_s += time_s;
    greedy_refine_s += cpu_seconds([&] { greedy_refine = testing::CharmTree(stats).greedy_refine(); });
    refine_a_s += cpu_seconds([&] { refine_a = testing::CharmTree(stats).refine_a(); });
  }
  const Result ours = result(stats, stats.to_proc);
  state.counters["max"] = ours.max;
  state.counters["moved"] = ours.moved / static_cast<double>(n_objs);
  const double needed = testing::needed_moves(stats, ours.max * ProcArray(stats).average_load());
  state.counters["needed"] = needed > 0 ? ours.moved / needed : 1;
  state.counters["times"] = ours_s / std::max(greedy_refine_s, refine_a_s);
  for (const auto& [name, placement] :
       {std::pair("greedy_refine", greedy_refine), std::pair("refine_a", refine_a)}) {
    const Result theirs = result(stats, placement);
    state.counters[std::string(name) + "_max"] = theirs.max;
    state.counters[std::string(name) + "_moved"] = theirs.moved / static_cast<double>(n_objs);
  }
}

const int registered = [] {
  for (const testing::LoadLaw& law : testing::load_laws())
    for (const auto& [n_objs, n_procs] :
         {std::pair{1'000, 16}, {10'000, 64}, {100'000, 1'024}, {20'000, 4'096}})
      for (const auto& [strategy, tolerance] :
           {std::pair("RefineLB", ""), std::pair("RefineLB", "1.008"), std::pair("GreedyRefineLB", "")}) {
        ParameterMap parameters;
        if (*tolerance != '\0') parameters["tolerance"] = tolerance;
        benchmark::RegisterBenchmark((law.name + "/" + std::to_string(n_objs) + "/" +
                                      std::to_string(n_procs) + "/" + strategy + tolerance)
                                         .c_str(),
                                     [=](benchmark::State& state) {
                                       compare(state, law, static_cast<std::size_t>(n_objs),
                                               static_cast<std::size_t>(n_procs), strategy, parameters);
                                     })
            ->UseManualTime()
            ->Iterations(3)
            ->Unit(benchmark::kMillisecond);
      }
  return 0;
}();

}  // namespace
