#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Object whose load is to be drawn.
struct Draw {
  double u;         ///< uniform random number from 0 to 1
  double position;  ///< index of the object divided by the number of objects
  std::mt19937_64& random;
};

/// Distribution of loads in seconds.
struct LoadLaw {
  std::string name;
  std::function<double(const Draw& draw)> load_s;

  /// Prints the name, for GoogleTest.
  friend void PrintTo(const LoadLaw& law, std::ostream* out) { *out << law.name; }
};

/// Returns distributions that are difficult for strategies that refine a placement, for different reasons:
/// few heavy objects, similar loads, loads that grow with the index, a hot spot, few different loads, loads
/// of 0.
inline std::vector<LoadLaw> load_laws() {
  return {
      {"u4", [](const Draw& draw) { return 10e-6 + 2990e-6 * std::pow(draw.u, 4); }},
      {"uniform", [](const Draw& draw) { return 1e-3 * (0.5 + draw.u); }},
      {"ramp", [](const Draw& draw) { return 1e-5 + 3e-3 * draw.position; }},
      {"lognormal1.5", [](const Draw& draw) { return std::lognormal_distribution(-7.0, 1.5)(draw.random); }},
      {"hotspot",
       [](const Draw& draw) { return (draw.position < 0.1 ? 1e-2 : 1e-3) * (0.9 + 0.2 * draw.u); }},
      {"int1-5", [](const Draw& draw) { return 1e-3 * (1 + std::floor(5 * draw.u)); }},
      {"exponential", [](const Draw& draw) { return -1e-3 * std::log(1 - draw.u); }},
      {"pareto", [](const Draw& draw) { return 1e-4 * std::pow(1 - draw.u, -1 / 1.5); }},
      {"bimodal",
       [](const Draw& draw) { return draw.u < 0.05 ? 0.02 + 0.01 * draw.u : 1e-3 * (1 + draw.u); }},
      {"steps", [](const Draw& draw) { return 1e-3 * (1 + std::floor(8 * draw.position)); }},
      {"constant", [](const Draw&) { return 1e-3; }},
      {"sine",
       [](const Draw& draw) { return 1e-3 * (1.05 + std::sin(20 * draw.position)) * (0.9 + 0.2 * draw.u); }},
      {"half zero", [](const Draw& draw) { return draw.u < 0.5 ? 0 : 2e-3 * draw.u; }},
      {"powers of 2", [](const Draw& draw) { return std::ldexp(1e-5, static_cast<int>(10 * draw.u)); }},
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
    const double position = static_cast<double>(object) / static_cast<double>(n_objs);
    stats.obj_data.push_back({static_cast<LBRealType>(law.load_s({u, position, random})), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

}  // namespace plimsoll::balance::testing
