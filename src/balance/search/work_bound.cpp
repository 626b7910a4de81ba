#include "balance/search/work_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Work of one rank as a function of the load that it receives.
struct Receiver {
  double base = 0;   ///< fixed work
  double slope = 0;  ///< work per second of load
};

/// Returns the minimum T such that the ranks, filled up to a work of T in whole units, hold `load`.
double even_work(const std::vector<Receiver>& ranks, double load, double unit) {
  if (load == 0 || std::ranges::count(ranks, 0.0, &Receiver::slope) > 0) return 0;
  std::vector<Receiver> sorted = ranks;
  std::ranges::sort(sorted, {}, &Receiver::base);
  double work = 0;
  double base_sum = 0;  // sum of base / slope over the filled ranks
  double rate_sum = 0;  // sum of 1 / slope
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    base_sum += sorted[k].base / sorted[k].slope;
    rate_sum += 1 / sorted[k].slope;
    work = (load + base_sum) / rate_sum;
    if (k + 1 == sorted.size() || work <= sorted[k + 1].base) break;
  }
  // Skip the unit if it is too small to matter or gives too many units to count.
  const double units = load / unit;
  if (!(units < 1e9)) return work;

  constexpr double rounding = 1e-9;
  double room = 0;
  std::priority_queue<std::pair<double, double>, std::vector<std::pair<double, double>>, std::greater<>>
      next;  // (work with one more unit, work per unit) of each rank
  for (const Receiver& rank : ranks) {
    const double of_unit = rank.slope * unit;
    const double whole = std::max(0.0, std::floor((work - rank.base) / of_unit + rounding));
    room += whole;
    next.push({rank.base + (whole + 1) * of_unit, of_unit});
  }
  double lifted = work;
  // NOLINTNEXTLINE(clang-analyzer-security.FloatLoopCounter): whole numbers, up to infinity
  for (; room < std::round(units); ++room) {
    const auto [work_after, of_unit] = next.top();
    next.pop();
    lifted = std::max(lifted, work_after);
    next.push({work_after + of_unit, of_unit});
  }
  return lifted;
}

/// Returns the minimum work of the rank that gets two of P + 1 objects, or three of 2 P + 1 objects, and so
/// on.
double shared_work(const std::vector<Receiver>& ranks, const std::vector<double>& heaviest_first) {
  double base = std::numeric_limits<double>::infinity();
  double slope = base;
  for (const Receiver& rank : ranks) {
    base = std::min(base, rank.base);
    slope = std::min(slope, rank.slope);
  }
  double most = 0;
  for (std::size_t together = 2; (together - 1) * ranks.size() < heaviest_first.size(); ++together) {
    const std::size_t last = (together - 1) * ranks.size();
    double load = 0;
    for (std::size_t k = 0; k < together; ++k) load += heaviest_first[last - k];
    most = std::max(most, base + slope * load);
  }
  return most;
}

}  // namespace

double common_unit(std::span<const double> loads) {
  double unit = 0;
  for (double load : loads) {
    while (load != 0) unit = std::exchange(load, std::fmod(unit, load));
  }
  return unit;
}

double max_work_lower_bound(const LDStats& stats, const WorkCoefficients& coefficients) {
  std::vector<double> fixed_s(stats.procs.size());
  for (std::size_t rank = 0; rank < fixed_s.size(); ++rank)
    fixed_s[rank] = static_cast<double>(stats.procs[rank].bg_walltime);
  std::vector<double> loads;
  double load_s = 0;
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const auto rank = static_cast<std::size_t>(stats.from_proc[object]);
    const auto load = static_cast<double>(stats.obj_data[object].walltime);
    if (stats.obj_data[object].migratable) {
      loads.push_back(load);
      load_s += load;
    } else {
      fixed_s[rank] += load / stats.procs[rank].pe_speed;
    }
  }
  double bound = 0;
  std::vector<Receiver> receivers;
  for (std::size_t rank = 0; rank < fixed_s.size(); ++rank) {
    const double alpha = coefficients.alpha * stats.procs[rank].rank_alpha;
    const Receiver receiver{alpha * fixed_s[rank] + coefficients.gamma, alpha / stats.procs[rank].pe_speed};
    bound = std::max(bound, receiver.base);
    if (stats.procs[rank].available) receivers.push_back(receiver);
  }
  if (loads.empty() || receivers.empty()) return bound;

  std::ranges::sort(loads, std::greater());
  double heaviest = std::numeric_limits<double>::infinity();
  for (const Receiver& rank : receivers) heaviest = std::min(heaviest, rank.base + rank.slope * loads[0]);
  return std::max(
      {bound, heaviest, shared_work(receivers, loads), even_work(receivers, load_s, common_unit(loads))});
}

}  // namespace plimsoll::balance
