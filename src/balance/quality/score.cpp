#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/imbalance.hpp>
#include <plimsoll/support/parse.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

std::vector<double> finish_times(const LDStats& stats, std::span<const std::int32_t> placement) {
  if (placement.size() != stats.obj_data.size())
    throw support::usage_error(
        fmt::format("invalid placement: {} entries for {} objects", placement.size(), stats.obj_data.size()));
  std::vector<double> times(stats.procs.size(), 0.0);
  for (std::size_t object = 0; object < placement.size(); ++object) {
    const auto proc = static_cast<std::uint32_t>(placement[object]);
    if (proc >= times.size())
      throw support::usage_error(
          fmt::format("object {} is placed on processor {}, but LDStats has only {} processors", object,
                      placement[object], times.size()));
    times[proc] += stats.load_s(object);
  }
  for (std::size_t proc = 0; proc < times.size(); ++proc)
    times[proc] =
        static_cast<double>(stats.procs[proc].bg_walltime) + times[proc] / stats.procs[proc].pe_speed;
  return times;
}

std::vector<std::vector<double>> subphase_times(const LDStats& stats,
                                                std::span<const std::int32_t> placement) {
  const std::size_t n_ranks = stats.procs.size();
  std::vector<std::vector<double>> times(stats.subphases.count, std::vector<double>(n_ranks, 0.0));
  for (std::size_t object = 0; object < placement.size(); ++object)
    for (std::uint32_t subphase = 0; subphase < times.size(); ++subphase)
      times[subphase][static_cast<std::size_t>(placement[object])] +=
          stats.subphases.load_s(object, subphase);
  for (std::vector<double>& of_ranks : times)
    for (std::size_t rank = 0; rank < n_ranks; ++rank) of_ranks[rank] /= stats.procs[rank].pe_speed;
  if (!times.empty())
    for (std::size_t rank = 0; rank < n_ranks; ++rank)
      times[SubphaseLoads::outside][rank] += static_cast<double>(stats.procs[rank].bg_walltime);
  return times;
}

double phase_time(const LDStats& stats, std::span<const std::int32_t> placement) {
  const std::vector<double> times = finish_times(stats, placement);  // checks the placement
  if (times.empty()) return 0;
  if (stats.subphases.empty()) return std::ranges::max(times);
  double sum_s = 0;
  for (const std::vector<double>& of_ranks : subphase_times(stats, placement))
    sum_s += std::ranges::max(of_ranks);
  return sum_s;
}

LDStats subphase_stats(const LDStats& stats, std::uint32_t subphase) {
  PLIMSOLL_EXPECT(subphase < stats.subphases.count);
  LDStats result;
  result.procs = stats.procs;
  result.obj_data = stats.obj_data;
  result.from_proc = stats.from_proc;
  if (subphase != SubphaseLoads::outside)
    for (ProcStats& proc : result.procs) proc.bg_walltime = 0;
  for (std::size_t object = 0; object < result.obj_data.size(); ++object)
    result.obj_data[object].walltime = static_cast<LBRealType>(stats.subphases.load_s(object, subphase));
  return result;
}

double imbalance(std::span<const double> values) {
  return imbalance(values.empty() ? 0 : std::ranges::max(values), values);
}

double imbalance(double max, std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  return support::imbalance(max, sum / static_cast<double>(values.size()));
}

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
  using enum BoundCause;
  constexpr support::Named<BoundCause> names[] = {{"mean", mean},
                                                  {"heaviest object", heaviest_object},
                                                  {"pair of objects", pair_of_objects},
                                                  {"fixed load", fixed_load},
                                                  {"whole load units", load_unit},
                                                  {"sum of the subphases' bounds", subphases}};
  return support::name_of(names, cause);
}

Bound lower_bound(const LDStats& stats) {
  const Bound bound = finish_time_bound(stats, ProcArray(stats));
  double sum_s = 0;
  for (std::uint32_t subphase = 0; subphase < stats.subphases.count; ++subphase)
    sum_s += lower_bound(subphase_stats(stats, subphase)).time_s;
  return sum_s > bound.time_s * (1 + sum_error) ? Bound{sum_s, BoundCause::subphases} : bound;
}

Bound finish_time_bound(const LDStats& stats, const ProcArray& procs) {
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

namespace {

double ratio(double max, double average) {
  return average > 0 ? max / average : 0;
}

double relative_max_walltime(const LDStats& stats, const ProcArray& procs,
                             std::span<const std::int32_t> placement) {
  const std::vector<double> times = finish_times(stats, placement);
  return times.empty() ? 0 : ratio(std::ranges::max(times), procs.average_load());
}

}  // namespace

double relative_max(const LDStats& stats, const LoadDimension& dimension,
                    std::span<const std::int32_t> placement) {
  std::vector<double> loads(stats.procs.size(), 0.0);
  double sum = 0;
  for (std::size_t object = 0; object < placement.size(); ++object) {
    const auto load = static_cast<double>(dimension.of_object[object]);
    loads[static_cast<std::size_t>(placement[object])] += load;
    sum += load;
  }
  const auto available = std::ranges::count(stats.procs, true, &ProcStats::available);
  return loads.empty() || available == 0
             ? 0
             : ratio(std::ranges::max(loads), sum / static_cast<double>(available));
}

double relative_max_load(const LDStats& stats, std::span<const std::int32_t> placement) {
  double max = ratio(phase_time(stats, placement), ProcArray(stats).average_load());
  for (const LoadDimension& dimension : stats.more_loads)
    max = std::max(max, relative_max(stats, dimension, placement));
  return max;
}

Score balance_score(const LDStats& stats, std::span<const std::int32_t> placement) {
  return {relative_max_walltime(stats, ProcArray(stats), placement), 0};
}

Score vector_balance_score(const LDStats& stats, std::span<const std::int32_t> placement) {
  return {relative_max_load(stats, placement), 0};
}

namespace {

double excess_above(double tolerance, const LDStats& stats, std::span<const std::int32_t> placement) {
  const ProcArray procs(stats);
  const double allowed =
      std::max(tolerance, ratio(finish_time_bound(stats, procs).time_s, procs.average_load()));
  return std::max(0.0, relative_max_walltime(stats, procs, placement) - allowed);
}

}  // namespace

Score communication_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance) {
  return {excess_above(tolerance, stats, placement), rank_traffic(stats, placement).off_rank_bytes()};
}

double cost_per_migration(const ScoreTerms& terms, const LDStats& stats) {
  if (terms.per_migration == 0 || stats.obj_data.empty()) return 0;
  double total = 0;
  for (const LDCommData& comm : stats.comm_data)
    if (comm.sender != comm.receiver)
      total += comm.bytes + terms.per_message * static_cast<double>(comm.messages);
  const double cost = 2 * terms.per_migration * total / stats.n_objs();
  if (!std::isfinite(cost * stats.n_objs()))
    throw support::usage_error("the sum of the migration costs is not finite",
                               "use a smaller migration_cost");
  return cost;
}

Score score_of(const ScoreTerms& terms, const LDStats& stats, std::span<const std::int32_t> placement) {
  if (terms.kind == ScoreTerms::Kind::none || terms.kind == ScoreTerms::Kind::own) return {};
  if (terms.kind == ScoreTerms::Kind::load)
    return terms.all_loads ? vector_balance_score(stats, placement) : balance_score(stats, placement);
  double excess = excess_above(terms.tolerance, stats, placement);
  if (terms.all_loads)
    for (const LoadDimension& dimension : stats.more_loads)
      excess = std::max(excess, relative_max(stats, dimension, placement) - terms.tolerance);
  const RankTraffic traffic = rank_traffic(stats, placement);
  std::int64_t n_moved = 0;
  for (std::size_t object = 0; object < placement.size(); ++object)
    n_moved += placement[object] != stats.from_proc[object] ? 1 : 0;
  return {excess, traffic.off_rank_bytes() +
                      terms.per_message * static_cast<double>(traffic.off_rank_messages()) +
                      cost_per_migration(terms, stats) * static_cast<double>(n_moved)};
}

}  // namespace plimsoll::balance
