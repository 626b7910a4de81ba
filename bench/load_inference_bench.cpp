// Measures how well objects are placed by loads that are inferred from features and from the times of ranks.
// Counters: max/mean of the true loads of the ranks, and
//   relative  max/mean relative to a placement by the true costs of the features
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "balance/feature_laws.hpp"

namespace {

using namespace plimsoll::balance;
using namespace plimsoll::balance::testing;

void observe(LoadInference& inference, FeatureProgram& program) {
  inference.observe(program.run(), [](const FeatureSums& sums) { return sums; });
}

/// 12,800 objects on 512 ranks, four features that do not explain 20 % of the load of an object.
void phases(benchmark::State& state, const FeatureLaw& law) {
  for ([[maybe_unused]] auto _ : state) {
    FeatureProgram program = feature_program(law, 4, 512, 12'800, 0.2, 0.03, 1);
    FeatureProgram other = program;
    state.counters["start"] = program.max_by_mean();
    other.place(std::vector<double>(program.n_objects(), 1.0));
    state.counters["counts"] = other.max_by_mean();
    other.place(program.loads_of(program.costs_s));
    state.counters["true_costs"] = other.max_by_mean();
    other.place(program.loads_s);
    state.counters["true_loads"] = other.max_by_mean();
    LoadInference inference(feature_names(4));
    for (int phase = 1; phase <= 4; ++phase) {
      observe(inference, program);
      program.place(program.loads_of(costs_of(inference)));
      if (phase == 1) state.counters["phase_1"] = program.max_by_mean();
    }
    state.counters["phase_4"] = program.max_by_mean();
  }
}

/// 20 programs with 2 to 6 features, after four phases.
void hidden_costs(benchmark::State& state, const FeatureLaw& law, std::size_t n_ranks, double noise) {
  for ([[maybe_unused]] auto _ : state) {
    double sum = 0;
    double worst = 0;
    int within = 0;
    int programs = 0;
    for (const std::size_t n_features : {2U, 3U, 4U, 5U, 6U}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        FeatureProgram program = feature_program(law, n_features, n_ranks, 25 * n_ranks, 0, noise, seed);
        FeatureProgram with_true_costs = program;
        with_true_costs.place(program.loads_s);
        LoadInference inference(feature_names(n_features));
        for (int phase = 0; phase < 4; ++phase) {
          observe(inference, program);
          program.place(program.loads_of(costs_of(inference)));
        }
        const double relative = program.max_by_mean() / with_true_costs.max_by_mean();
        sum += relative;
        worst = std::max(worst, relative);
        within += relative <= 1.05 ? 1 : 0;
        ++programs;
      }
    }
    state.counters["relative"] = sum / programs;
    state.counters["worst"] = worst;
    state.counters["within_5_percent"] = 100.0 * within / programs;
  }
}

const int registered = [] {
  for (const FeatureLaw& law : feature_laws()) {
    benchmark::RegisterBenchmark(("phases/" + law.name).c_str(),
                                 [law](benchmark::State& state) { phases(state, law); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    for (const std::size_t n_ranks : {8U, 64U})
      for (const double noise : {0.03, 0.1})
        benchmark::RegisterBenchmark(
            ("hidden_costs/" + law.name + "/" + std::to_string(n_ranks) + "_ranks/" +
             std::to_string(static_cast<int>(100 * noise)) + "_percent")
                .c_str(),
            [=](benchmark::State& state) { hidden_costs(state, law, n_ranks, noise); })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
  }
  return 0;
}();

}  // namespace
