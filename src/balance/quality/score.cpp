#include <algorithm>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

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
  double max = relative_max_walltime(stats, ProcArray(stats), placement);
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

Score communication_score(const LDStats& stats, std::span<const std::int32_t> placement, double tolerance) {
  const ProcArray procs(stats);
  const double allowed = std::max(tolerance, ratio(lower_bound(stats, procs).time_s, procs.average_load()));
  return {std::max(0.0, relative_max_walltime(stats, procs, placement) - allowed),
          rank_traffic(stats, placement).off_rank_bytes()};
}

}  // namespace plimsoll::balance
