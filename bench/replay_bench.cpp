#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/balance/replay.hpp>

#include "balance/database/dataset_factory.hpp"
#include "balance/search/random.hpp"

// Replays a run of 1,000 phases with 10,000 objects on 64 ranks, whose loads change slowly. GreedyLB runs
// every 10 phases, RefineLB whenever it pays. Target: 5 s. "phase_us" is the time per phase.

namespace {

using namespace plimsoll::balance;

constexpr std::size_t n_ranks = 64;
constexpr std::size_t n_objects = 10'000;
constexpr std::int64_t n_phases = 1'000;

const plimsoll::lbdata::Dataset& recorded_run() {
  static const plimsoll::lbdata::Dataset dataset = [] {
    testing::DatasetFactory factory(n_ranks);
    Random random(1);
    std::vector<double> loads_s(n_objects);
    for (double& load_s : loads_s) load_s = 1e-3 * random.uniform();
    for (std::int64_t phase = 0; phase < n_phases; ++phase)
      for (std::size_t object = 0; object < n_objects; ++object) {
        loads_s[object] *= 0.95 + 0.1 * random.uniform();
        factory.task(object * n_ranks / n_objects, object, loads_s[object], true, phase);
      }
    return std::move(factory.dataset);
  }();
  return dataset;
}

void run(benchmark::State& state, const char* strategy, std::int64_t interval, LbCondition::Kind kind) {
  const ReplayRequest request{.schedule = LbSchedule::single({strategy, {}}, interval), .condition = {kind}};
  for (auto _ : state) benchmark::DoNotOptimize(replay(recorded_run(), request));
  state.counters["phase_us"] =
      benchmark::Counter(1e-6 * static_cast<double>(n_phases),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void greedy_every_10_phases(benchmark::State& state) {
  run(state, "GreedyLB", 10, LbCondition::Kind::always);
}

void refine_when_it_pays(benchmark::State& state) {
  run(state, "RefineLB", 1, LbCondition::Kind::pays);
}

BENCHMARK(greedy_every_10_phases)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(refine_when_it_pays)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
