#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

// Inputs of the strategy benchmarks: objects in blocks of consecutive numbers, one block per rank. Loads are
// 10 us + 2990 us * u^4 with u uniform, unless stated otherwise.

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

/// Gives every rank a different speed, from 0.5 to 1.5.
inline LDStats different_speeds(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p)
    stats.procs[p].pe_speed = 0.5 + static_cast<double>(p) / static_cast<double>(n_procs);
  return stats;
}

/// Gives each object one edge, to its neighbour.
inline LDStats with_edges(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::uint32_t object = 0; object < n_objs; ++object)
    stats.comm_data.push_back({CommEnd::object(object),
                               CommEnd::object((object + 1) % static_cast<std::uint32_t>(n_objs)), 1024, 1});
  return stats;
}

/// Adds a second load dimension, which is large where the first one is small.
inline LDStats two_dimensions(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  stats.more_loads.push_back({"other", std::vector<LBRealType>(n_objs)});
  LoadDimension& other = stats.more_loads.back();
  for (std::size_t object = 0; object < n_objs; ++object)
    other.of_object[object] = static_cast<LBRealType>(3010e-6) - stats.obj_data[object].walltime;
  return stats;
}

/// Puts 16 ranks on each node.
inline LDStats on_nodes(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t p = 0; p < n_procs; ++p) stats.procs[p].node = static_cast<std::int32_t>(p / 16);
  return stats;
}

/// Creates a 3-D mesh with the given number of objects per side, and an edge of 1 kB in each direction
/// between neighbours.
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

/// Creates objects at random positions in a cube, in the order of its cells. Objects closer than the side of
/// a cell communicate: 8 to 9 neighbours on average, with 100 to 2,000 bytes each.
inline LDStats irregular(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  std::mt19937_64 random(7);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1.0p-53; };
  const auto side = static_cast<std::size_t>(std::cbrt(static_cast<double>(n_objs) / 2));
  std::vector<std::array<double, 3>> positions(n_objs);  // in sides of a cell
  for (auto& position : positions)
    for (double& coordinate : position) coordinate = uniform() * static_cast<double>(side);
  const auto cell_at = [&](std::size_t x, std::size_t y, std::size_t z) { return (x * side + y) * side + z; };
  const auto cell_of = [&](const std::array<double, 3>& at) {
    return cell_at(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]),
                   static_cast<std::size_t>(at[2]));
  };
  std::ranges::sort(positions, {}, cell_of);
  std::vector<std::vector<std::uint32_t>> cells(side * side * side);
  for (std::uint32_t object = 0; object < n_objs; ++object)
    cells[cell_of(positions[object])].push_back(object);

  const auto connect_to_cell = [&](std::uint32_t object, const std::vector<std::uint32_t>& cell) {
    for (const std::uint32_t other : cell) {
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double distance = positions[object][axis] - positions[other][axis];
        square += distance * distance;
      }
      if (other > object && square < 1)
        stats.comm_data.push_back(
            {CommEnd::object(object), CommEnd::object(other), std::floor(100 + 1900 * uniform()), 1});
    }
  };
  for (std::uint32_t object = 0; object < n_objs; ++object) {
    std::array<std::size_t, 3> first{};
    std::array<std::size_t, 3> last{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cell = static_cast<std::size_t>(positions[object][axis]);
      first[axis] = cell == 0 ? 0 : cell - 1;
      last[axis] = std::min(side - 1, cell + 1);
    }
    for (std::size_t x = first[0]; x <= last[0]; ++x)
      for (std::size_t y = first[1]; y <= last[1]; ++y)
        for (std::size_t z = first[2]; z <= last[2]; ++z) connect_to_cell(object, cells[cell_at(x, y, z)]);
  }
  return stats;
}

/// Creates loads as in Charm++'s stencil3d: the middle 60 % of the loads grow with the index. The initial
/// max/avg is 2.30.
inline LDStats ramp_start(std::size_t n_objs, std::size_t n_procs) {
  LDStats stats = block_start(n_objs, n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    const double index = static_cast<double>(object) / static_cast<double>(n_objs);
    const double load_us = index < 0.2 || index >= 0.8 ? 10 : 100 * index + 5;
    stats.obj_data[object].walltime = static_cast<LBRealType>(load_us * 1e-6);
  }
  return stats;
}

/// Creates two opposing load dimensions; the first grows with the index.
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
