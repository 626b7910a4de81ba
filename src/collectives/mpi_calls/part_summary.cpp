#include <algorithm>
#include <functional>
#include <numeric>

#include <plimsoll/collectives/part_summary.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double sum_over_ranks(const MpiCalls& calls, double MpiCalls::Rank::*time_s) {
  double sum_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) sum_s += rank.*time_s;
  return sum_s;
}

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

PartSummary summarize(const MpiCalls& calls, const MpiCalls::Part& part) {
  PartSummary summary;
  summary.wall_s = sum_of(part.wall_s);
  summary.longest_wall_s = part.wall_s.empty() ? 0 : std::ranges::max(part.wall_s);
  summary.share = share_of(summary.wall_s, sum_over_ranks(calls, &MpiCalls::Rank::wall_s));
  summary.mpi_s = sum_of(part.mpi_s);
  if (!part.waited_s.empty()) summary.waited_s = sum_of(part.waited_s);
  return summary;
}

/// Sets the efficiencies of a part, and why some are unknown, of which `cause` is one if it is known.
void set_efficiencies(const MpiCalls& calls, const std::optional<UsefulTimes>& times,
                      const std::string& cause, PartSummary& summary) {
  if (times) summary.efficiencies = efficiencies(*times);
  if (!summary.efficiencies || summary.efficiencies->transfer) return;
  summary.transfer_unknown = why_transfer_is_unknown(calls);
  if (summary.transfer_unknown.empty()) summary.transfer_unknown = cause;
  if (summary.transfer_unknown.empty())
    summary.transfer_unknown = "an earlier version recorded them for the whole run only";
}

void add_times(const std::vector<double>& values, std::vector<double>& sums) {
  std::ranges::transform(values, sums, sums.begin(), std::plus());
}

/// Adds times, which are empty if they are unknown.
void add_if_known(const std::vector<double>& values, std::vector<double>& sums) {
  if (sums.size() == values.size())
    add_times(values, sums);
  else
    sums.clear();
}

/// Joins windows [first, end).
MpiCalls::Part joined(const MpiCalls::Windows& windows, std::size_t first, std::size_t end) {
  MpiCalls::Part sum = windows.parts[first];
  for (std::size_t k = first + 1; k < end; ++k) {
    const MpiCalls::Part& part = windows.parts[k];
    add_times(part.wall_s, sum.wall_s);
    add_times(part.mpi_s, sum.mpi_s);
    add_if_known(part.waited_s, sum.waited_s);
    add_if_known(part.ideal_s, sum.ideal_s);
  }
  return sum;
}

}  // namespace

std::vector<RegionSummary> summarize_regions(const MpiCalls& calls) {
  std::vector<RegionSummary> regions;
  for (const MpiCalls::Region& region : calls.regions) {
    RegionSummary& summary = regions.emplace_back(RegionSummary{summarize(calls, region.times)});
    summary.name = region.name;
    summary.ranks = static_cast<std::uint32_t>(
        std::ranges::count_if(region.times.wall_s, [](double wall_s) { return wall_s > 0; }));
    summary.mpi_share = share_of(summary.mpi_s, sum_over_ranks(calls, &MpiCalls::Rank::mpi_s));
    set_efficiencies(calls, useful_times(calls, region), calls.regions_ideal_unknown, summary);
  }
  std::ranges::stable_sort(regions, std::greater(), &RegionSummary::wall_s);
  return regions;
}

std::vector<WindowSummary> summarize_windows(const MpiCalls& calls, std::size_t max_windows) {
  const auto& [length_s, parts] = calls.windows;
  const std::size_t together = (parts.size() - 1) / max_windows + 1;
  std::vector<WindowSummary> windows;
  for (std::size_t first = 0; first < parts.size(); first += together) {
    const std::size_t end = std::min(first + together, parts.size());
    const MpiCalls::Part part = joined(calls.windows, first, end);
    WindowSummary& summary = windows.emplace_back(WindowSummary{summarize(calls, part)});
    summary.begin_s = static_cast<double>(first) * length_s;
    summary.end_s = static_cast<double>(end) * length_s;
    for (std::size_t rank = 0; rank < calls.ranks.size(); ++rank)
      summary.thread_s += part.wall_s[rank] * mpi_threads(calls.ranks[rank]);
    set_efficiencies(calls, useful_times(calls, part), "", summary);
  }
  return windows;
}

double spread_of_efficiency(const std::vector<WindowSummary>& windows) {
  double lowest = 1;
  double highest = 0;
  for (const WindowSummary& window : windows) {
    if (!window.efficiencies || window.longest_wall_s < 0.5 * (window.end_s - window.begin_s)) continue;
    lowest = std::min(lowest, window.efficiencies->parallel);
    highest = std::max(highest, window.efficiencies->parallel);
  }
  return std::max(0.0, highest - lowest);
}

}  // namespace plimsoll::collectives
