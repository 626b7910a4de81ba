#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/balance/load_inference.hpp>
#include <plimsoll/balance/strategy.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Distribution of the features of objects.
struct FeatureLaw {
  std::string name;
  /// Draws a feature of an object at a position from 0 to 1.
  std::function<double(std::size_t feature, double position, std::mt19937_64& random)> draw;
};

/// Returns laws that are difficult for different reasons: rare, heavy-tailed, correlated and similar
/// features, flags, and features that depend on the position and therefore on the rank.
inline std::vector<FeatureLaw> feature_laws() {
  using Random = std::mt19937_64;
  const auto uniform = [](Random& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
  return {
      {"uniform", [=](std::size_t, double, Random& random) { return std::floor(1000 * uniform(random)); }},
      {"exponential",
       [=](std::size_t, double, Random& random) { return -100 * std::log(1 - uniform(random)); }},
      {"lognormal",
       [](std::size_t, double, Random& random) { return std::lognormal_distribution(3.0, 1.0)(random); }},
      {"same cells", [=](std::size_t feature, double,
                         Random& random) { return feature == 0 ? 512 : std::floor(200 * uniform(random)); }},
      {"hotspots",
       [=](std::size_t feature, double position, Random& random) {
         const double distance = position - static_cast<double>(feature + 1) / 8;
         return std::floor(1000 * std::exp(-200 * distance * distance) + 100 * uniform(random));
       }},
      {"ramps",
       [=](std::size_t feature, double position, Random& random) {
         return 100 * (feature % 2 == 0 ? position : 1 - position) + 30 * uniform(random);
       }},
      {"flags",
       [=](std::size_t feature, double, Random& random) {
         return feature == 0 ? 1 : (uniform(random) < 0.1 * static_cast<double>(feature) ? 1 : 0);
       }},
      {"rare", [=](std::size_t feature, double, Random& random) {
         return feature == 0 ? 100 * uniform(random) : (uniform(random) < 0.03 ? 1000 * uniform(random) : 0);
       }}};
}

/// Simulated program whose objects have features, and loads that nobody measures.
struct FeatureProgram {
  std::size_t n_features = 0;
  std::size_t n_ranks = 0;
  double noise = 0;  ///< relative standard deviation of the time of a rank
  std::vector<double> costs_s;
  std::vector<double> features;    ///< n_features per object
  std::vector<double> loads_s;     ///< true loads of the objects
  std::vector<std::int32_t> rank;  ///< of the objects
  std::mt19937_64 random;

  std::span<const double> of_object(std::size_t object) const {
    return std::span(features).subspan(object * n_features, n_features);
  }
  std::size_t n_objects() const { return loads_s.size(); }
  /// Returns the loads that costs per feature give to the objects.
  std::vector<double> loads_of(const std::vector<double>& of_features) const {
    std::vector<double> loads(n_objects());
    for (std::size_t object = 0; object < loads.size(); ++object)
      loads[object] =
          std::transform_reduce(of_features.begin(), of_features.end(), of_object(object).begin(), 0.0);
    return loads;
  }
  std::vector<double> times_of_ranks(const std::vector<double>& of_objects) const {
    std::vector<double> times(n_ranks);
    for (std::size_t object = 0; object < n_objects(); ++object)
      times[static_cast<std::size_t>(rank[object])] += of_objects[object];
    return times;
  }
  /// Returns the maximum load of a rank divided by the mean.
  double max_by_mean() const {
    const std::vector<double> times = times_of_ranks(loads_s);
    return std::ranges::max(times) * static_cast<double>(n_ranks) /
           std::accumulate(times.begin(), times.end(), 0.0);
  }
  /// Runs a phase: returns the features and the disturbed time of each rank.
  PhaseFeatures run() {
    PhaseFeatures phase;
    phase.packs.resize(n_ranks);
    for (std::size_t object = 0; object < n_objects(); ++object) {
      phase.objects.add_object(of_object(object));
      PackTime& pack = phase.packs[static_cast<std::size_t>(rank[object])];
      for (std::size_t feature = 0; feature < n_features; ++feature)
        pack.features[feature] += of_object(object)[feature];
    }
    const std::vector<double> times = times_of_ranks(loads_s);
    for (std::size_t each = 0; each < n_ranks; ++each)
      phase.packs[each].time_s =
          times[each] * std::max(0.0, 1 + noise * std::normal_distribution<double>()(random));
    return phase;
  }
  /// Places the objects as if these were their loads.
  void place(const std::vector<double>& of_objects) {
    LDStats stats;
    stats.procs.resize(n_ranks);
    for (const double load_s : of_objects) stats.obj_data.push_back({static_cast<LBRealType>(load_s), true});
    stats.from_proc = stats.to_proc = rank;
    make_strategy(StrategySpec::parse("GreedyLB"))->work(stats);
    rank = stats.to_proc;
  }
};

/// Makes a program with costs that differ by up to a factor of 10 in their part of the time.
/// `unexplained` is the relative standard deviation of the loads from the features.
inline FeatureProgram feature_program(const FeatureLaw& law, std::size_t n_features, std::size_t n_ranks,
                                      std::size_t n_objects, double unexplained, double noise,
                                      std::uint64_t seed) {
  FeatureProgram program{
      .n_features = n_features, .n_ranks = n_ranks, .noise = noise, .random = std::mt19937_64(seed)};
  std::vector<double> sums(n_features);
  for (std::size_t object = 0; object < n_objects; ++object) {
    program.rank.push_back(static_cast<std::int32_t>(object * n_ranks / n_objects));
    for (std::size_t feature = 0; feature < n_features; ++feature) {
      program.features.push_back(
          law.draw(feature, static_cast<double>(object) / static_cast<double>(n_objects), program.random));
      sums[feature] += program.features.back();
    }
  }
  for (const double sum : sums) {
    const double part = std::pow(10.0, std::uniform_real_distribution(-1.0, 0.0)(program.random));
    program.costs_s.push_back(sum > 0 ? part * 1e-3 * static_cast<double>(n_objects) / sum : 0);
  }
  program.loads_s.resize(n_objects);
  program.loads_s = program.loads_of(program.costs_s);
  for (double& load_s : program.loads_s)
    load_s *= std::max(0.1, 1 + unexplained * std::normal_distribution<double>()(program.random));
  return program;
}

/// Returns the costs in seconds, in the order of the features.
inline std::vector<double> costs_of(const LoadInference& inference) {
  std::vector<double> costs_s;
  for (const FeatureCost& cost : inference.costs()) costs_s.push_back(cost.cost_s);
  return costs_s;
}

/// Returns the names f0, f1, ...
inline std::vector<std::string> feature_names(std::size_t n_features) {
  std::vector<std::string> names;
  for (std::size_t feature = 0; feature < n_features; ++feature)
    names.push_back("f" + std::to_string(feature));
  return names;
}

}  // namespace plimsoll::balance::testing
