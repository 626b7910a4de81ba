#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <plimsoll/balance/strategy.hpp>

#include "starts.hpp"

// Inputs whose communication is good, but whose loads or placement have changed since.

namespace plimsoll::bench {

/// Creates side^3 objects in blocks on per_axis^3 ranks. Neighbours exchange 1 kB in each direction. Object
/// (x, y, z) has the load `law(x, y, z)` in milliseconds.
template <typename Law>
LDStats cube(std::size_t side, std::size_t per_axis, const Law& law) {
  LDStats stats;
  stats.procs.resize(per_axis * per_axis * per_axis);
  for (std::size_t object = 0; object < side * side * side; ++object) {
    const std::size_t at[] = {object / side / side, object / side % side, object % side};
    const double load_ms =
        law(static_cast<double>(at[0]), static_cast<double>(at[1]), static_cast<double>(at[2]));
    stats.obj_data.push_back({static_cast<LBRealType>(1e-3 * load_ms), true});
    std::size_t rank = 0;
    for (const std::size_t coordinate : at) rank = rank * per_axis + coordinate * per_axis / side;
    stats.from_proc.push_back(static_cast<std::int32_t>(rank));
    const std::size_t strides[] = {side * side, side, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] + 1 == side) continue;
      const CommEnd here = CommEnd::object(static_cast<std::uint32_t>(object));
      const CommEnd there = CommEnd::object(static_cast<std::uint32_t>(object + strides[axis]));
      stats.comm_data.push_back({here, there, 1000, 1});
      stats.comm_data.push_back({there, here, 1000, 1});
    }
  }
  return stats;
}

/// Equal loads; one object in 20 starts on a random rank.
inline LDStats scattered() {
  LDStats stats = cube(40, 4, [](double, double, double) { return 1; });
  std::mt19937_64 random(3);
  for (std::int32_t& rank : stats.from_proc)
    if (random() % 20 == 0) rank = static_cast<std::int32_t>(random() % 64);
  return stats;
}

/// Loads that grow along one axis; the initial max/avg is 1.7.
inline LDStats ramp() {
  return cube(40, 4, [](double x, double, double) { return x + 1.93; });
}

/// Loads with a Gaussian bump of the given width around (centre, centre, centre), on a constant base such
/// that the initial max/avg is 7.8.
inline LDStats bump(double centre, double width) {
  const auto gaussian = [=](double x, double y, double z) {
    const auto square = [=](double coordinate) { return (coordinate - centre) * (coordinate - centre); };
    return std::exp(-(square(x) + square(y) + square(z)) / (2 * width * width));
  };
  const LDStats without_base = cube(40, 4, gaussian);
  std::vector<double> loads_ms(64, 0.0);
  double sum_ms = 0;
  for (std::size_t object = 0; object < without_base.obj_data.size(); ++object) {
    loads_ms[static_cast<std::size_t>(without_base.from_proc[object])] += 1e3 * without_base.load_s(object);
    sum_ms += 1e3 * without_base.load_s(object);
  }
  constexpr double max = 7.8;
  const double base = (std::ranges::max(loads_ms) - max * sum_ms / 64) / 1000 / (max - 1);
  return cube(40, 4, [=](double x, double y, double z) { return base + gaussian(x, y, z); });
}

/// Places the objects by GraphPartLB for equal loads. Then the loads grow with the rank, up to max/avg 1.7.
inline LDStats grown_by_rank(LDStats stats) {
  for (LDObjData& object : stats.obj_data) object.walltime = static_cast<LBRealType>(1e-3);
  StrategyRegistry::builtin().create("GraphPartLB")->work(stats);
  stats.from_proc = stats.to_proc;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const double place =
        static_cast<double>(stats.from_proc[object]) / static_cast<double>(stats.procs.size() - 1);
    stats.obj_data[object].walltime = static_cast<LBRealType>(1e-3 * (0.3 + 1.4 * place));
  }
  return stats;
}

/// Random geometric graph: irregular() with loads that grow by rank.
inline LDStats geometric() {
  return grown_by_rank(irregular(64'000, 64));
}

/// Graph whose degrees follow a power law, with loads that grow by rank. Source: R. Albert, A.-L. Barabasi,
/// "Statistical mechanics of complex networks" (2002): each new object communicates with 4 earlier ones,
/// which it chooses in proportion to their degrees.
inline LDStats power_law() {
  LDStats stats = block_start(64'000, 64);
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> ends{0};
  for (std::uint32_t object = 1; object < stats.obj_data.size(); ++object)
    for (int edge = 0; edge < 4; ++edge) {
      const std::uint32_t other = ends[random() % ends.size()];
      if (other == object) continue;
      stats.comm_data.push_back({CommEnd::object(object), CommEnd::object(other), 1000, 1});
      ends.push_back(object);
      ends.push_back(other);
    }
  return grown_by_rank(std::move(stats));
}

}  // namespace plimsoll::bench
