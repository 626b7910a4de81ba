#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <plimsoll/balance/score.hpp>
#include <plimsoll/support/error.hpp>

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
    times[proc] += static_cast<double>(stats.obj_data[object].walltime);
  }
  for (std::size_t proc = 0; proc < times.size(); ++proc)
    times[proc] =
        static_cast<double>(stats.procs[proc].bg_walltime) + times[proc] / stats.procs[proc].pe_speed;
  return times;
}

double imbalance(std::span<const double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (!(sum > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double max_over_mean = *std::ranges::max_element(values) / (sum / static_cast<double>(values.size()));
  return std::max(0.0, max_over_mean - 1);  // rounding can make it negative
}

}  // namespace plimsoll::balance
