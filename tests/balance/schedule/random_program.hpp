#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "balance/schedule/simulated_program.hpp"
#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Simulated program of which everything is random: the law of the work and its parameters, the numbers of
/// ranks, objects and phases, the sizes and prices, noise, and other processes.
struct RandomProgram {
  SimulatedProgram program;
  std::string text;
};

/// Random numbers of a seed, in ranges.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed * 2654435761 + 1) {}
  double uniform(double low, double high) { return low + (high - low) * random_.uniform(); }
  double logarithmic(double low, double high) { return low * std::pow(high / low, random_.uniform()); }
  std::size_t below(std::size_t n) { return random_.next() % n; }

 private:
  Random random_;
};

/// Returns a number with mean 0 and standard deviation 1, about normal.
inline double normal(std::uint64_t seed) {
  Random random(seed);
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.uniform();
  return sum;
}

using Work = std::function<double(std::size_t object, int phase)>;

/// Draws a law of the work, in seven kinds.
inline Work random_work(Draw& draw, const SimulatedProgram& program, std::string& name) {
  const std::size_t n = program.n_objects();
  const std::size_t per_rank = program.objects_per_rank;
  const std::size_t n_ranks = program.n_ranks;
  const std::size_t rank = draw.below(n_ranks);
  const double factor = draw.uniform(1.3, 4);
  const auto on = [per_rank](std::size_t which, std::size_t object) { return object / per_rank == which; };
  switch (draw.below(7)) {
    case 0: name = "uniform"; return [](std::size_t, int) { return 1.0; };
    case 1: {
      const int from = draw.below(2) == 0 ? 0 : static_cast<int>(draw.below(program.n_phases));
      name = fmt::format("x {:.1f} from phase {}", factor, from);
      return [=](std::size_t object, int phase) { return phase >= from && on(rank, object) ? factor : 1; };
    }
    case 2: {
      const int period = static_cast<int>(draw.logarithmic(1, 60));
      const std::size_t among = 2 + draw.below(n_ranks - 1);
      name = fmt::format("x {:.1f} on {} ranks in turn for {} phases", factor, among, period);
      return [=](std::size_t object, int phase) {
        const auto turn = (rank + static_cast<std::size_t>(phase / period) % among) % n_ranks;
        return on(turn, object) ? factor : 1;
      };
    }
    case 3: {
      const double phases = draw.logarithmic(15, 800);
      const double start = draw.uniform(0, 1);
      const double sharpness = draw.logarithmic(10, 200);
      name = fmt::format("x {:.1f} drifts in {:.0f} phases, sharpness {:.0f}", factor, phases, sharpness);
      return [=](std::size_t object, int phase) {
        const double centre = start + phase / phases;
        const double apart =
            static_cast<double>(object) / static_cast<double>(n) - (centre - std::floor(centre));
        const double distance = std::min(std::abs(apart), 1 - std::abs(apart));
        return 0.3 + factor * std::exp(-sharpness * distance * distance);
      };
    }
    case 4: {
      const double weight = draw.uniform(0.5, 1.5) * static_cast<double>(per_rank);
      name = fmt::format("one object x {:.1f}", weight);
      return [=](std::size_t object, int) { return object == rank * per_rank ? weight : 1; };
    }
    case 5: {
      const double rate = draw.logarithmic(0.005, 0.1);
      name = fmt::format("grows by {:.3f}", rate);
      return [=](std::size_t object, int phase) { return on(rank, object) ? 1 + rate * phase : 1; };
    }
    default: {
      const std::uint64_t seed = draw.below(1000000);
      name = "random objects";
      return [=](std::size_t object, int) { return Random(seed + object).uniform() < 0.3 ? factor : 1; };
    }
  }
}

inline RandomProgram random_program(std::uint64_t seed, double object_bytes) {
  Draw draw(seed);
  constexpr std::array<std::size_t, 5> rank_counts = {2, 2, 3, 4, 8};
  RandomProgram result;
  SimulatedProgram& program = result.program;
  program.n_ranks = rank_counts[draw.below(rank_counts.size())];
  program.objects_per_rank = 3 + draw.below(object_bytes > 2e7 ? 10 : 40);
  program.n_phases = static_cast<int>(draw.logarithmic(60, 400));
  program.mean_load_s = draw.logarithmic(0.01, 0.1);
  program.object_bytes = object_bytes * draw.logarithmic(0.3, 3);
  program.decision_s = draw.logarithmic(100e-6, 1e-3);
  program.latency_s = draw.logarithmic(50e-6, 1e-3);
  program.s_per_object = draw.logarithmic(10e-6, 100e-6);
  program.s_per_byte = draw.logarithmic(0.2e-9, 1e-9);
  program.first_migration_factor = draw.uniform(1, 3);
  std::string law;
  program.load = random_work(draw, program, law);
  const double noise = draw.logarithmic(0.005, 0.15);
  const bool is_busy = draw.below(3) == 0;
  program.is_disturbed = is_busy;
  program.noise = [=](std::size_t rank, int phase) {
    const auto of_phase = static_cast<std::uint64_t>(phase);
    const double white = std::max(0.3, 1 + noise * normal(seed * 31 + rank * 7919 + of_phase * 104729));
    return is_busy ? white * (1 + 0.1 * Random(of_phase / 7 * 31 + rank * 977 + seed).uniform()) : white;
  };
  program.slowdown = [=, n_ranks = program.n_ranks](std::size_t rank, int phase) {
    if (!is_busy) return 1.0;
    const auto of_phase = static_cast<std::uint64_t>(phase);
    const std::size_t victim = Random(of_phase / 9 * 131 + seed).next() % n_ranks;
    return victim == rank ? 1.6 + 0.6 * Random(of_phase * 131 + rank).uniform() : 1;
  };
  result.text =
      fmt::format("{}: {}, {} ranks x {} x {:.0e} bytes, {} phases of {:.0f} ms, noise {:.1f} %, {}", seed,
                  law, program.n_ranks, program.objects_per_rank, program.object_bytes, program.n_phases,
                  1e3 * program.mean_load_s, 100 * noise, is_busy ? "busy" : "alone");
  return result;
}

}  // namespace plimsoll::balance::testing
