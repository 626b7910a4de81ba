#pragma once

#include <cmath>
#include <random>

#include <plimsoll/balance/ld_stats.hpp>

// What strategies are measured on: objects in blocks of consecutive numbers, one block a rank, with loads
// 10 us + 2990 us * u^4, u uniform, unless something else is said.

namespace plimsoll::bench {

using namespace plimsoll::balance;

inline LDStats block_start(std::size_t n_objs, std::size_t n_procs) {
  std::mt19937_64 random(12345);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    const double load_s = 10e-6 + 2990e-6 * u * u * u * u;
    stats.obj_data.push_back({static_cast<LBRealType>(load_s), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  return stats;
}

/// Every rank of another speed, from 0.5 to 1.5.
inline LDStats different_speeds(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p)
    stats.procs[p].pe_speed = 0.5 + static_cast<double>(p) / static_cast<double>(n_procs);
  return stats;
}

/// Each object has one edge, to its neighbour.
inline LDStats with_edges(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::uint32_t object = 0; object < n_objs; ++object)
    stats.comm_data.push_back({CommEnd::object(object),
                               CommEnd::object((object + 1) % static_cast<std::uint32_t>(n_objs)), 1024, 1});
  return stats;
}

/// A second dimension that is large where the first is small.
inline LDStats two_dimensions(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  stats.more_loads.push_back({"other", std::vector<LBRealType>(n_objs)});
  LoadDimension& other = stats.more_loads.back();
  for (std::size_t object = 0; object < n_objs; ++object)
    other.of_object[object] = static_cast<LBRealType>(3010e-6) - stats.obj_data[object].walltime;
  return stats;
}

/// 16 ranks a node.
inline LDStats on_nodes(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p) stats.procs[p].node = static_cast<std::int32_t>(p / 16);
  return stats;
}

/// A 3-D mesh with as many objects a side, and an edge of 1 kB between neighbours each way.
inline LDStats mesh(std::size_t n_objs, std::size_t n_procs) {
  const auto side = static_cast<std::size_t>(std::lround(std::cbrt(n_objs)));
  LDStats stats = block_start(n_objs, n_procs);
  stats.n_axes = 3;
  for (std::size_t object = 0; object < n_objs; ++object) {
    for (const std::size_t stride : {side * side, side, std::size_t{1}}) {
      const std::size_t coordinate = object / stride % side;
      stats.positions.push_back(static_cast<double>(coordinate));
      if (coordinate + 1 == side) continue;
      const CommEnd here = CommEnd::object(static_cast<std::uint32_t>(object));
      const CommEnd there = CommEnd::object(static_cast<std::uint32_t>(object + stride));
      stats.comm_data.push_back({here, there, 1000, 1});
      stats.comm_data.push_back({there, here, 1000, 1});
    }
  }
  return stats;
}

/// Loads as in Charm++'s stencil3d: those of the middle 60 % rise with the index. Starts at 2.30.
inline LDStats ramp_start(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double index = static_cast<double>(object) / static_cast<double>(n_objs);
    const double load_us = index < 0.2 || index >= 0.8 ? 10 : 100 * index + 5;
    stats.obj_data[object].walltime = static_cast<LBRealType>(load_us * 1e-6);
  }
  return stats;
}

/// Two loads that oppose each other, the first rising with the index.
inline LDStats two_loads(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  std::mt19937_64 random(7);
  stats.more_loads.push_back({"GPU", {}});
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double index = static_cast<double>(object) / static_cast<double>(n_objs);
    const double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    stats.obj_data[object].walltime = static_cast<LBRealType>((0.2 + index) * (0.1 + u));
    stats.more_loads[0].of_object.push_back(static_cast<LBRealType>((1.2 - index) * (1.2 - u)));
  }
  return stats;
}

}  // namespace plimsoll::bench
