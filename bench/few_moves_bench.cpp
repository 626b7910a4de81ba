#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/charm_tree.hpp"
#include "balance/load_laws.hpp"
#include "balance/stats_factory.hpp"
#include "balance/strategies/refine_lb/refine_lb.hpp"

// Compares strategies that migrate few objects with models of two strategies of Charm++ 7 (GreedyRefine and
// RefineA), for several distributions of loads, with objects in blocks. Counters: "max" is the maximum load
// relative to the mean, "moved" the share of migrated objects, "needed" the number of migrations divided by a
// lower bound on it, and "times" the time divided by that of the slower model, measured in the same run.
//
// The benchmarks "context" vary one value of RefineContext at a time. "moved" is the mean share of migrated
// objects over all distributions and sizes, "above_bound" the mean excess of the maximum finish time above
// the lower bound.

namespace {

using namespace plimsoll::balance;

struct Result {
  double max;
  double moved;
};

Result result(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  const Quality quality = assess(stats, placement);
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
  state.counters["greedy_refine_times"] = ours_s / greedy_refine_s;
  for (const auto& [name, placement] :
       {std::pair("greedy_refine", greedy_refine), std::pair("refine_a", refine_a)}) {
    const Result theirs = result(stats, placement);
    state.counters[std::string(name) + "_max"] = theirs.max;
    state.counters[std::string(name) + "_moved"] = theirs.moved / static_cast<double>(n_objs);
  }
}

void refine(benchmark::State& state, const std::function<void(RefineContext&)>& change) {
  double moved = 0;
  double above = 0;
  double n = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (const testing::LoadLaw& law : testing::load_laws())
      for (const auto& [n_objs, n_procs] : {std::pair{1'000, 16}, {10'000, 64}, {5'000, 1'024}, {300, 64}}) {
        LDStats stats = testing::stats_by_law(law, static_cast<std::size_t>(n_objs),
                                              static_cast<std::size_t>(n_procs), 7);
        const ProcArray procs(stats);
        RefineContext context = small_search(procs);
        change(context);
        refine_within(1.0005, stats, procs, context);
        const Quality quality = assess(stats, stats.to_proc);
        moved += static_cast<double>(quality.n_moved) / n_objs;
        above += above_bound(quality, finish_time_bound(stats, procs));
        ++n;
      }
  }
  state.counters["moved"] = moved / n;
  state.counters["above_bound"] = above / n;
}

template <typename Value>
void vary(const std::string& name, Value RefineContext::*member, const std::vector<Value>& values) {
  for (const Value value : values)
    benchmark::RegisterBenchmark(("context/" + name + "/" + std::to_string(value)).c_str(),
                                 [=](benchmark::State& state) {
                                   refine(state, [=](RefineContext& context) { context.*member = value; });
                                 })
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
}

const int contexts = [] {
  using Context = RefineContext;
  vary<std::uint64_t>("max_splits", &Context::max_splits, {1024, 2048, 4096});
  vary("small_gain", &Context::small_gain, {2.5e-4, 1e-3});
  vary("aimed_share", &Context::aimed_share, {0.96, 1.0});
  vary<std::int32_t>("max_compared", &Context::max_compared, {2048, 8192});
  vary<std::uint64_t>("max_tries", &Context::max_tries, {2, 8});
  vary("many_moves", &Context::many_moves, {0.1, 0.4});
  vary("many_relocations", &Context::many_relocations, {0.025, 0.1});
  vary<std::size_t>("n_passes", &Context::n_passes, {2, 4});
  vary("minimum_share", &Context::minimum_share, {0.375, 1.0});
  vary<std::size_t>("search_width", &Context::search_width, {256, 1024});
  vary<std::size_t>("index_choices", &Context::index_choices, {4, 16});
  vary<std::size_t>("index_width", &Context::index_width, {32, 128});
  vary<std::size_t>("partial_partners", &Context::partial_partners, {4, 16});
  vary<std::size_t>("hosts", &Context::hosts, {8, 32});
  vary<std::size_t>("random_partners", &Context::random_partners, {32, 128});
  vary("good_share", &Context::good_share, {0.35, 1.0});
  vary("random_surplus", &Context::random_surplus, {0.15, 0.6});
  vary<std::size_t>("max_steps_per_rank", &Context::max_steps_per_rank, {4, 16});
  vary<std::size_t>("min_random_partners", &Context::min_random_partners, {64, 256});
  vary<std::size_t>("max_returned", &Context::max_returned, {8, 32});
  vary<std::size_t>("max_split_objects", &Context::max_split_objects, {8, 20});
  vary("max_partners", &Context::max_partners, {32, 128});
  vary("kick_swaps", &Context::kick_swaps, {1, 6});
  vary("dead_ends_away", &Context::dead_ends_away, {8, 32});
  return 0;
}();

const int registered = [] {
  for (const testing::LoadLaw& law : testing::load_laws())
    for (const auto& [n_objs, n_procs] :
         {std::pair{1'000, 16}, {10'000, 64}, {100'000, 1'024}, {20'000, 4'096}, {100'000, 16'384}})
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
