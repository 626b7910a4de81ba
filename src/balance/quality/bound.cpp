#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <plimsoll/balance/score.hpp>

#include "balance/search/load_unit.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Heaviest object, and the sum of the P-th and (P+1)-th heaviest (0 if it is at most twice `half`).
///
/// If `half` is half the mean load per rank, fewer than 2 P loads are above `half`. The sum can exceed the
/// mean only if the P-th load is one of them. Therefore only these loads are sorted.
struct HeavyObjects {
  double heaviest = 0;
  double pair = 0;
};

HeavyObjects heavy_objects(const LDStats& stats, std::size_t n_ranks, double half) {
  std::vector<double> heavy;
  double next = 0;  // maximum load of the objects that are not in `heavy`
  for (const LDObjData& object : stats.obj_data) {
    if (!object.migratable) continue;
    const double load = static_cast<double>(object.walltime);
    if (load > half) {
      heavy.push_back(load);
    } else {
      next = std::max(next, load);
    }
  }
  std::ranges::sort(heavy, std::greater<>());
  HeavyObjects result;
  result.heaviest = heavy.empty() ? next : heavy.front();
  if (heavy.size() >= n_ranks)
    result.pair = heavy[n_ranks - 1] + (heavy.size() > n_ranks ? heavy[n_ranks] : next);
  return result;
}

/// Returns the earliest time at which an available rank finishes `work` if it has no other load than its
/// overhead.
double earliest_finish(const ProcArray& procs, double work) {
  double earliest = std::numeric_limits<double>::infinity();
  for (const ProcInfo& proc : procs.procs)
    if (proc.available) earliest = std::min(earliest, proc.overhead + work / proc.pe_speed);
  return earliest;
}

// Relative rounding error of a sum of many loads.
constexpr double sum_error = 1e-9;

/// Returns the mean finish time, rounded up to whole units; 0 if finish times have no unit.
double mean_in_whole_units(const LDStats& stats, const ProcArray& procs) {
  const double mean = procs.average_load();
  const double unit = finish_time_unit(stats, procs);
  if (unit == 0) return 0;
  // Subtract what rounding errors of many loads can add to the mean.
  return std::ceil(mean / unit * (1 - sum_error)) * unit;
}

}  // namespace

std::string_view to_string(BoundCause cause) {
  switch (cause) {
    case BoundCause::mean: return "mean";
    case BoundCause::heaviest_object: return "heaviest object";
    case BoundCause::pair_of_objects: return "pair of objects";
    case BoundCause::fixed_load: return "fixed load";
    case BoundCause::load_unit: return "whole load units";
  }
  return "mean";
}

Bound lower_bound(const LDStats& stats) {
  return lower_bound(stats, ProcArray(stats));
}

Bound lower_bound(const LDStats& stats, const ProcArray& procs) {
  Bound bound{procs.average_load(), BoundCause::mean};
  const auto raise = [&](double time_s, BoundCause cause) {
    if (time_s > bound.time_s) bound = {time_s, cause};
  };
  if (procs.n_available() > 0 && procs.migratable_load() > 0) {
    const auto n_ranks = static_cast<std::size_t>(procs.n_available());
    const double half = procs.migratable_load() / static_cast<double>(n_ranks) / 2;
    const HeavyObjects heavy = heavy_objects(stats, n_ranks, half);
    raise(earliest_finish(procs, heavy.heaviest), BoundCause::heaviest_object);
    if (heavy.pair > 0) raise(earliest_finish(procs, heavy.pair), BoundCause::pair_of_objects);
    raise(mean_in_whole_units(stats, procs), BoundCause::load_unit);
  }
  for (const ProcInfo& proc : procs.procs) raise(proc.overhead, BoundCause::fixed_load);
  return bound;
}

}  // namespace plimsoll::balance
