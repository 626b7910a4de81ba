#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance::testing {

/// Creates migratable objects with the given loads on the given processors.
inline LDStats stats_of(std::size_t n_procs, const std::vector<double>& loads,
                        const std::vector<std::int32_t>& from_proc) {
  LDStats stats;
  stats.procs.resize(n_procs);
  for (const double load : loads) stats.obj_data.push_back({static_cast<LBRealType>(load), true});
  stats.from_proc = stats.to_proc = from_proc;
  return stats;
}

/// Creates loads of 10 us + 2990 us * u^4 (u uniform), placed in blocks.
inline LDStats block_start(std::size_t n_objs, std::size_t n_procs, std::uint64_t seed) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t object = 0; object < n_objs; ++object) {
    stats.obj_data.push_back(
        {static_cast<LBRealType>(10e-6 + 2990e-6 * std::pow(random.uniform(), 4)), true});
    stats.from_proc.push_back(static_cast<std::int32_t>(object * n_procs / n_objs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

/// Creates random stats with non-migratable objects, background, speeds, unavailable processors and loads of
/// 0. Processor 0 is always available.
inline LDStats anything(std::size_t n_objs, std::size_t n_procs, std::uint64_t seed) {
  Random random(seed);
  LDStats stats;
  stats.procs.resize(n_procs);
  for (std::size_t p = 0; p < n_procs; ++p) {
    stats.procs[p].available = p == 0 || random.uniform() < 0.75;
    if (random.uniform() < 0.5) stats.procs[p].pe_speed = 0.5 + static_cast<double>(random.next() % 4);
    if (random.uniform() < 0.5) stats.procs[p].bg_walltime = static_cast<LBRealType>(3 * random.uniform());
  }
  for (std::size_t object = 0; object < n_objs; ++object) {
    stats.obj_data.push_back({static_cast<LBRealType>(random.next() % 10), random.uniform() < 0.8});
    stats.from_proc.push_back(static_cast<std::int32_t>(random.next() % n_procs));
  }
  stats.to_proc = stats.from_proc;
  return stats;
}

/// Divides the loads of anything(), which are whole numbers, at random among subphases.
inline void add_subphases(LDStats& stats, std::uint32_t n_subphases, std::uint64_t seed) {
  Random random(seed + 77);
  stats.subphases.count = n_subphases + 1;
  stats.subphases.loads.assign(stats.obj_data.size() * stats.subphases.count, 0);
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    for (double left_s = stats.load_s(object); left_s > 0; left_s -= 1)
      stats.subphases.of_object(object)[random.next() % stats.subphases.count] += 1;
}

/// Returns anything() with all optional columns of LDStats: edges, nodes, memory with blocks, and positions.
/// Every other case also has a second load dimension, every third case subphases.
inline LDStats everything(std::size_t n_objs, std::size_t n_procs, std::uint64_t seed) {
  LDStats stats = anything(n_objs, n_procs, seed);
  Random random(seed + 1000003);
  for (std::size_t p = 0; p < n_procs; ++p) {
    stats.procs[p].node = static_cast<std::int32_t>(p / 2);
    stats.procs[p].rank_working_bytes = static_cast<double>(random.next() % 5);
  }
  for (std::size_t block = 0; block < n_procs; ++block)
    stats.blocks.push_back({static_cast<double>(random.next() % 10), static_cast<std::int32_t>(block)});
  stats.n_axes = 1 + static_cast<std::uint32_t>(random.next() % 3);
  for (std::size_t object = 0; object < n_objs; ++object) {
    ObjMemory& memory = stats.memory.emplace_back();
    memory.footprint_bytes = static_cast<double>(random.next() % 6);
    memory.working_bytes = static_cast<double>(random.next() % 3);
    memory.serialized_bytes = static_cast<double>(random.next() % 4);
    if (random.uniform() < 0.5) memory.block = static_cast<std::uint32_t>(random.next() % n_procs);
    for (std::uint32_t axis = 0; axis < stats.n_axes; ++axis)
      stats.positions.push_back(static_cast<double>(random.next() % 5));
  }
  for (std::size_t edge = 0; n_objs > 0 && edge < 2 * n_objs; ++edge) {
    const auto object = [&] { return CommEnd::object(static_cast<std::uint32_t>(random.next() % n_objs)); };
    const CommEnd from = random.uniform() < 0.95 ? object() : CommEnd::processor(0);
    stats.comm_data.push_back({from, object(), static_cast<double>(random.next() % 100), 1});
    stats.comm_categories.push_back(random.uniform() < 0.9 ? 0 : 2);
  }
  if (seed % 3 == 0) add_subphases(stats, 1 + static_cast<std::uint32_t>(seed % 4), seed);
  if (seed % 2 == 0) {
    stats.more_loads.push_back({"gpu_s", {}});
    for (std::size_t object = 0; object < n_objs; ++object)
      stats.more_loads[0].of_object.push_back(static_cast<LBRealType>(random.next() % 7));
  }
  return stats;
}

/// Returns a lower bound on the number of migrations that bring all ranks to the target: each rank gives away
/// its heaviest objects. Requires that all objects can migrate.
inline double needed_moves(const LDStats& stats, double target_s) {
  std::vector<std::vector<double>> loads(stats.procs.size());
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    loads[static_cast<std::size_t>(stats.from_proc[object])].push_back(
        static_cast<double>(stats.obj_data[object].walltime));
  const std::vector<double> finish_s = finish_times(stats, stats.from_proc);
  double moves = 0;
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    std::ranges::sort(loads[rank], std::greater<>());
    double excess = finish_s[rank] - target_s;
    for (std::size_t k = 0; excess > 1e-9 * target_s && k < loads[rank].size(); ++k, ++moves)
      excess -= loads[rank][k];
  }
  return moves;
}

inline double max_available(const LDStats& stats, const std::vector<std::int32_t>& placement) {
  const std::vector<double> times = finish_times(stats, placement);
  double max = 0;
  for (std::size_t p = 0; p < times.size(); ++p)
    if (stats.procs[p].available) max = std::max(max, times[p]);
  return max;
}

inline bool must_evacuate(const LDStats& stats) {
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    if (stats.obj_data[object].migratable &&
        !stats.procs[static_cast<std::size_t>(stats.from_proc[object])].available)
      return true;
  return false;
}

/// Returns whether each migratable object is on an available processor and every other object is still in
/// place.
inline bool respects_fixed_objects_and_availability(const LDStats& stats) {
  if (stats.to_proc.size() != stats.from_proc.size()) return false;
  for (std::size_t object = 0; object < stats.to_proc.size(); ++object) {
    const std::int32_t rank = stats.to_proc[object];
    if (stats.obj_data[object].migratable ? !stats.procs.at(static_cast<std::size_t>(rank)).available
                                          : rank != stats.from_proc[object])
      return false;
  }
  return true;
}

/// Calls `visit` for every placement of the migratable objects on available processors.
inline void for_each_placement(const LDStats& stats,
                               const std::function<void(const std::vector<std::int32_t>&)>& visit) {
  std::vector<std::int32_t> placement = stats.from_proc;
  const std::function<void(std::size_t)> place = [&](std::size_t object) {
    if (object == placement.size()) return visit(placement);
    if (!stats.obj_data[object].migratable) return place(object + 1);
    for (std::size_t p = 0; p < stats.procs.size(); ++p) {
      if (!stats.procs[p].available) continue;
      placement[object] = static_cast<std::int32_t>(p);
      place(object + 1);
    }
  };
  place(0);
}

/// Returns the minimum possible phase_time(), from an exhaustive search.
inline double exhaustive_phase_time(const LDStats& stats) {
  double best = std::numeric_limits<double>::infinity();
  for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
    best = std::min(best, phase_time(stats, placement));
  });
  return best;
}

/// Returns the minimum possible maximum finish time over all processors, from an exhaustive search.
inline double exhaustive_optimum(const LDStats& stats) {
  double best = std::numeric_limits<double>::infinity();
  for_each_placement(stats, [&](const std::vector<std::int32_t>& placement) {
    best = std::min(best, std::ranges::max(finish_times(stats, placement)));
  });
  return best;
}

inline void balance_with(const std::string& strategy, LDStats& stats, const ParameterMap& parameters = {}) {
  StrategyRegistry::builtin().create(strategy, parameters)->work(stats);
}

}  // namespace plimsoll::balance::testing
