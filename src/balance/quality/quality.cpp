#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <plimsoll/balance/quality.hpp>
#include <plimsoll/balance/score.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns the metrics of a placement; lower values are better.
std::array<double, 7> criteria(const Quality& quality) {
  return {quality.max_time_s,
          quality.work.max,
          quality.max_memory_bytes.value_or(0),
          quality.max_node_memory_bytes.value_or(0),
          quality.off_rank_bytes,
          static_cast<double>(quality.n_moved),
          quality.moved_bytes};
}

bool clearly_less(double left, double right) {
  constexpr double rounding = 1e-9;
  return left < right - rounding * std::max(std::abs(left), std::abs(right));
}

void add_moves(const LDStats& stats, std::span<const std::int32_t> placement, Quality& quality) {
  for (std::size_t object = 0; object < placement.size(); ++object) {
    if (placement[object] == stats.from_proc[object]) continue;
    ++quality.n_moved;
    quality.moved_load_s += static_cast<double>(stats.obj_data[object].walltime);
    quality.moved_bytes += stats.migration_bytes(object);
  }
}

Quality assess_with(const LDStats& stats, std::span<const std::int32_t> placement,
                    const RankTraffic& traffic) {
  const std::vector<double> times = finish_times(stats, placement);
  Quality quality{.imbalance = imbalance(times)};
  if (!times.empty()) {
    quality.max_time_s = *std::ranges::max_element(times);
    quality.mean_time_s =
        std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
  add_moves(stats, placement, quality);
  quality.off_rank_bytes = traffic.off_rank_bytes();
  quality.off_rank_messages = traffic.off_rank_messages();
  return quality;
}

}  // namespace

Quality assess_without_work(const LDStats& stats, std::span<const std::int32_t> placement) {
  return assess_with(stats, placement, rank_traffic(stats, placement));
}

Quality assess_recorded(const LDStats& stats, const RankTraffic& traffic) {
  return assess_with(stats, stats.from_proc, traffic);
}

Quality assess(const LDStats& stats, std::span<const std::int32_t> placement,
               const WorkCoefficients& coefficients) {
  Quality quality = assess_without_work(stats, placement);
  set_work(stats, WorkModel(stats, coefficients).evaluate(placement), quality);
  return quality;
}

void set_work(const LDStats& stats, WorkSummary work, Quality& quality) {
  quality.work = std::move(work);
  const std::vector<double>& of_ranks = quality.work.memory_bytes;
  const double maximum = of_ranks.empty() ? 0 : std::ranges::max(of_ranks);
  if (maximum == 0) return;  // the sizes are unknown
  quality.max_memory_bytes = maximum;
  if (std::ranges::any_of(stats.procs, [](const ProcStats& proc) { return proc.node >= 0; }))
    quality.max_node_memory_bytes = std::ranges::max(quality.work.node_memory_bytes);
}

bool dominates(const Quality& left, const Quality& right) {
  const auto ours = criteria(left);
  const auto theirs = criteria(right);
  bool better = false;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (clearly_less(theirs[k], ours[k])) return false;
    better = better || clearly_less(ours[k], theirs[k]);
  }
  return better;
}

double above_bound(const Quality& quality, const Bound& bound) {
  return bound.time_s > 0 ? quality.max_time_s / bound.time_s - 1 : 0;
}

}  // namespace plimsoll::balance
