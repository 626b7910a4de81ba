#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::inline v0_1::balance::testing {

/// Distribution of loads. Returns the load in seconds of object `index` of `n`, given a uniform random number
/// from 0 to 1 and the generator that made it.
struct LoadLaw {
  std::string name;
  std::function<double(double u, std::size_t index, std::size_t n)> load_s;
};

/// Returns distributions on which strategies that refine a placement have different difficulties: few heavy
/// objects, similar loads, loads that grow with the index, a hot spot, few different loads, loads of 0.
inline std::vector<LoadLaw> load_laws() {
  // Inverse of the normal distribution function, by the Box-Muller transform of two numbers derived from u.
  const auto normal = [](double u) {
    const double angle = 1e4 * u - std::floor(1e4 * u);
    return std::sqrt(-2 * std::log(std::max(u, 1e-300))) * std::cos(2 * M_PI * angle);
  };
  return {
      {"u4", [](double u, std::size_t, std::size_t) { return 10e-6 + 2990e-6 * u * u * u * u; }},
      {"uniform", [](double u, std::size_t, std::size_t) { return 1e-3 * (0.5 + u); }},
      {"ramp",
       [](double, std::size_t index, std::size_t n) {
         return 1e-5 + 3e-3 * static_cast<double>(index) / static_cast<double>(n);
       }},
      {"lognormal1.5",
       [normal](double u, std::size_t, std::size_t) { return std::exp(-7 + 1.5 * normal(u)); }},
      {"hotspot", [](double u, std::size_t index,
                     std::size_t n) { return (index < n / 10 ? 1e-2 : 1e-3) * (0.9 + 0.2 * u); }},
      {"int1-5", [](double u, std::size_t, std::size_t) { return 1e-3 * (1 + std::floor(5 * u)); }},
      {"exponential", [](double u, std::size_t, std::size_t) { return -1e-3 * std::log(1 - u); }},
      {"pareto", [](double u, std::size_t, std::size_t) { return 1e-4 * std::pow(1 - u, -1 / 1.5); }},
      {"bimodal",
       [](double u, std::size_t, std::size_t) { return u < 0.05 ? 0.02 + 0.01 * u : 1e-3 * (1 + u); }},
      {"steps", [](double, std::size_t index,
                   std::size_t n) { return 1e-3 * static_cast<double>(1 + 8 * index / n); }},
      {"constant", [](double, std::size_t, std::size_t) { return 1e-3; }},
      {"sine",
       [](double u, std::size_t index, std::size_t n) {
         return 1e-3 * (1.05 + std::sin(20 * static_cast<double>(index) / static_cast<double>(n))) *
                (0.9 + 0.2 * u);
       }},
      {"half zero", [](double u, std::size_t, std::size_t) { return u < 0.5 ? 0 : 2e-3 * u; }},
      {"powers of 2",
       [](double u, std::size_t, std::size_t) { return std::ldexp(1e-5, static_cast<int>(10 * u)); }},
  };
}

/// Creates objects in blocks of consecutive numbers, one block per rank: object i of n is on rank
/// floor(i P / n).
inline LDStats stats_by_law(const LoadLaw& law, std::size_t n_objs, std::size_t n_procs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    stats.obj_data.push_back({static_cast<LBRealType>(law.load_s(u, object, n_objs)), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

}  // namespace plimsoll::balance::testing
