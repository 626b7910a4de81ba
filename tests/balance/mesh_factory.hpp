#pragma once

#include "balance/stats_factory.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Returns block_start() as a mesh of side^3 objects with positions. Neighbours are connected by an edge of
/// 1000 bytes in each direction.
inline LDStats mesh_start(std::size_t side, std::size_t n_procs, std::uint64_t seed) {
  LDStats stats = block_start(side * side * side, n_procs, seed);
  stats.n_axes = 3;
  const auto number = [&](std::size_t x, std::size_t y, std::size_t z) {
    return CommEnd::object(static_cast<std::uint32_t>((x * side + y) * side + z));
  };
  const auto join = [&](CommEnd one, CommEnd other) {
    stats.comm_data.push_back({one, other, 1000, 1});
    stats.comm_data.push_back({other, one, 1000, 1});
  };
  for (std::size_t x = 0; x < side; ++x)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t z = 0; z < side; ++z) {
        for (const std::size_t coordinate : {x, y, z})
          stats.positions.push_back(static_cast<double>(coordinate));
        if (x + 1 < side) join(number(x, y, z), number(x + 1, y, z));
        if (y + 1 < side) join(number(x, y, z), number(x, y + 1, z));
        if (z + 1 < side) join(number(x, y, z), number(x, y, z + 1));
      }
  return stats;
}

/// Returns anything() with random edges and positions. Some edges end at a processor, and many positions
/// coincide.
inline LDStats anything_with_edges(std::size_t n_objs, std::size_t n_procs, std::uint64_t seed) {
  LDStats stats = anything(n_objs, n_procs, seed);
  Random random(seed + 1000);
  const auto end = [&] {
    return n_objs == 0 || random.uniform() < 0.1
               ? CommEnd::processor(static_cast<std::uint32_t>(random.next() % n_procs))
               : CommEnd::object(static_cast<std::uint32_t>(random.next() % n_objs));
  };
  for (std::size_t edge = 0; edge < 3 * n_objs; ++edge) {
    const CommEnd from = end();
    stats.comm_data.push_back({from, end(), static_cast<double>(random.next() % 100),
                               static_cast<std::int64_t>(random.next() % 3)});
  }
  stats.n_axes = 2;
  for (std::size_t coordinate = 0; coordinate < 2 * n_objs; ++coordinate)
    stats.positions.push_back(static_cast<double>(random.next() % 4));
  return stats;
}

/// Returns the stats with each object on processor proc_of(object).
inline LDStats started_at(LDStats stats, const std::function<std::size_t(std::size_t)>& proc_of) {
  for (std::size_t object = 0; object < stats.from_proc.size(); ++object)
    stats.from_proc[object] = static_cast<std::int32_t>(proc_of(object));
  stats.to_proc = stats.from_proc;
  return stats;
}

/// Returns a mesh of side^3 objects in cubes on per_axis^3 ranks. The object at (x, y, z) has the load
/// `law(x, y, z)`.
template <typename Law>
LDStats cube_start(std::size_t side, std::size_t per_axis, const Law& law) {
  LDStats stats = started_at(mesh_start(side, per_axis * per_axis * per_axis, 1), [&](std::size_t object) {
    const auto block = [&](std::size_t coordinate) { return coordinate % side * per_axis / side; };
    return (block(object / side / side) * per_axis + block(object / side)) * per_axis + block(object);
  });
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const std::span<const double> at = stats.position(object);
    stats.obj_data[object].walltime = static_cast<LBRealType>(law(at[0], at[1], at[2]));
  }
  return stats;
}

}  // namespace plimsoll::balance::testing
