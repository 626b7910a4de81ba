#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/pop.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Mean of the values that were added.
struct Mean {
  double sum = 0;
  double values = 0;

  void add(double value) { sum += value, ++values; }
  double value() const { return sum / values; }
};

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

double longest_wall_s(const MpiCalls& calls) {
  double longest_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) longest_s = std::max(longest_s, rank.wall_s);
  return longest_s;
}

double longest_wall_s(const UsefulTimes& times) {
  return times.ranks.empty() ? 0 : std::ranges::max(times.ranks, {}, &UsefulTimes::Rank::wall_s).wall_s;
}

/// Whether a rank was paused or absent for most of the time, so that its useful time is unknown.
bool is_partly_recorded(const UsefulTimes& times) {
  const double longest_s = longest_wall_s(times);
  return std::ranges::any_of(times.ranks,
                             [&](const UsefulTimes::Rank& rank) { return rank.wall_s < 0.5 * longest_s; });
}

std::optional<UsefulTimes> if_recorded(UsefulTimes times) {
  return is_partly_recorded(times) ? std::nullopt : std::optional(std::move(times));
}

/// Returns the longest time of a rank; nothing if the times are unknown.
std::optional<double> longest_s(const std::vector<double>& times_s) {
  return times_s.empty() ? std::nullopt : std::optional(std::ranges::max(times_s));
}

/// Returns the useful time of all threads that call MPI.
std::optional<double> total_useful_s(const MpiCalls& calls) {
  double sum_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    const std::optional<double> time_s = useful_s(rank);
    if (!time_s) return std::nullopt;
    sum_s += *time_s * mpi_threads(rank);
  }
  return sum_s;
}

/// A call site, by what it is called in all builds of a program for different numbers of ranks.
using SiteName = std::pair<std::string_view, std::string>;

SiteName name_of(const MpiCalls::Site& site, const MpiCalls& calls) {
  return {calls.functions[site.function].name, short_location(site.location)};
}

/// Returns the part of the time in MPI at call sites that another run has, too; 1 without time.
double share_at_sites_of(const std::set<SiteName>& others, const MpiCalls& calls) {
  double all_s = 0;
  double common_s = 0;
  for (const MpiCalls::Site& site : calls.sites) {
    all_s += site.time_s;
    if (others.contains(name_of(site, calls))) common_s += site.time_s;
  }
  return all_s > 0 ? common_s / all_s : 1;
}

}  // namespace

bool knows_no_calls(const MpiCalls& calls) {
  return !calls.cut_short.empty() && calls.functions.empty();
}

double mpi_threads(const MpiCalls::Rank& rank) {
  if (rank.threads) return std::max(1.0, static_cast<double>(*rank.threads));
  return rank.wall_s > 0 ? std::max(1.0, std::ceil(rank.mpi_s / rank.wall_s)) : 1;
}

std::optional<double> useful_s(const MpiCalls::Rank& rank) {
  if (rank.wall_s == 0 || (!rank.threads && rank.mpi_s > rank.wall_s)) return std::nullopt;
  // A call that begins before a pause may end after it.
  return std::max(0.0, rank.wall_s - rank.mpi_s / mpi_threads(rank));
}

std::optional<UsefulTimes> useful_times(const MpiCalls& calls) {
  if (knows_no_calls(calls)) return std::nullopt;
  UsefulTimes times = {.ranks = {}, .ideal_s = calls.ideal_s};
  for (const MpiCalls::Rank& rank : calls.ranks) {
    const std::optional<double> time_s = useful_s(rank);
    if (!time_s) return std::nullopt;
    times.ranks.push_back({rank.host, rank.wall_s, *time_s});
  }
  return if_recorded(std::move(times));
}

std::optional<UsefulTimes> useful_times(const MpiCalls& calls, const MpiCalls::Part& window) {
  UsefulTimes times = {.ranks = {}, .ideal_s = longest_s(window.ideal_s)};
  for (std::size_t k = 0; k < calls.ranks.size(); ++k) {
    const MpiCalls::Rank& rank = calls.ranks[k];
    if (!useful_s(rank)) return std::nullopt;
    const double wall_s = window.wall_s[k];
    times.ranks.push_back({rank.host, wall_s, std::max(0.0, wall_s - window.mpi_s[k] / mpi_threads(rank))});
  }
  return if_recorded(std::move(times));
}

UsefulTimes useful_times(const MpiCalls& calls, const MpiCalls::Region& region) {
  UsefulTimes times = {.ranks = {}, .ideal_s = longest_s(region.times.ideal_s)};
  for (std::size_t k = 0; k < calls.ranks.size(); ++k)
    if (const double wall_s = region.times.wall_s[k]; wall_s > 0)
      times.ranks.push_back({calls.ranks[k].host, wall_s, std::max(0.0, wall_s - region.times.mpi_s[k])});
  return times;
}

std::string why_transfer_is_unknown(const MpiCalls& calls) {
  if (calls.ideal_s) return "";
  if (!calls.ideal_unknown.empty()) return calls.ideal_unknown;
  return calls.cut_short.empty() ? "they need --record critical-path"
                                 : "some ranks did not call MPI_Finalize";
}

std::optional<Efficiencies> efficiencies(const MpiCalls& calls) {
  const std::optional<UsefulTimes> times = useful_times(calls);
  return times ? efficiencies(*times) : std::nullopt;
}

std::optional<Efficiencies> efficiencies(const UsefulTimes& times) {
  Mean all;
  std::map<std::string_view, Mean> nodes;
  double max_s = 0;
  for (const auto& [host, wall_s, useful_s] : times.ranks) {
    all.add(useful_s);
    nodes[host].add(useful_s);
    max_s = std::max(max_s, useful_s);
  }
  if (max_s == 0) return std::nullopt;
  const double run_s = longest_wall_s(times);
  const double mean_s = std::min(all.value(), max_s);  // rounding can make it larger
  Efficiencies result = {.parallel = mean_s / run_s,
                         .load_balance = mean_s / max_s,
                         .between_nodes = {},
                         .within_nodes = {},
                         .communication = max_s / run_s,
                         .serialisation = {},
                         .transfer = {}};
  if (!nodes.contains("")) {
    double max_node_s = mean_s;
    for (const auto& [host, node] : nodes) max_node_s = std::clamp(node.value(), max_node_s, max_s);
    result.between_nodes = mean_s / max_node_s;
    result.within_nodes = max_node_s / max_s;
  }
  if (times.ideal_s) {
    // Ranks begin at different times, so the longest chain may exceed the longest wall time.
    const double ideal_s = std::clamp(*times.ideal_s, max_s, run_s);
    result.serialisation = max_s / ideal_s;
    result.transfer = ideal_s / run_s;
  }
  return result;
}

std::vector<Factor> factors(const Efficiencies& of) {
  return {{"parallel efficiency", "no time in MPI", 0, of.parallel},
          {"load balance", "same work on all ranks", 1, of.load_balance},
          {"between nodes", "same mean work on all nodes", 2, of.between_nodes},
          {"within nodes", "same work within each node", 2, of.within_nodes},
          {"communication", "busiest rank never in MPI", 1, of.communication},
          {"serialisation", "no waits for the work of others in turn", 2, of.serialisation},
          {"transfer", "transfers cost no time", 2, of.transfer}};
}

std::optional<CoreSpeed> core_speed(const MpiCalls& calls) {
  double cycles = 0;
  double user_s = 0;
  CoreSpeed speed;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    if (!rank.instructions || !rank.cycles || !rank.user_s) return std::nullopt;
    speed.instructions += static_cast<double>(*rank.instructions);
    cycles += static_cast<double>(*rank.cycles);
    user_s += *rank.user_s;
  }
  if (speed.instructions == 0 || cycles == 0 || user_s == 0) return std::nullopt;
  speed.per_cycle = speed.instructions / cycles;
  speed.frequency_hz = cycles / user_s;
  return speed;
}

std::vector<ScaledRun> compare_scaling(std::vector<NamedRun> runs) {
  std::ranges::stable_sort(runs, {}, [](const NamedRun& run) { return run.calls.ranks.size(); });
  std::set<SiteName> sites_of_first;
  if (!runs.empty())
    for (const MpiCalls::Site& site : runs.front().calls.sites)
      sites_of_first.insert(name_of(site, runs.front().calls));
  std::vector<ScaledRun> scaled;
  for (NamedRun& run : runs) {
    ScaledRun& result = scaled.emplace_back();
    result.name = std::move(run.name);
    result.ranks = run.calls.ranks.size();
    result.wall_s = longest_wall_s(run.calls);
    result.useful_s = total_useful_s(run.calls);
    result.efficiencies = efficiencies(run.calls);
    result.at_common_sites = share_at_sites_of(sites_of_first, run.calls);
    result.cores = core_speed(run.calls);
    const ScaledRun& first = scaled.front();
    if (first.cores && result.cores) {
      result.instruction_scaling = first.cores->instructions / result.cores->instructions;
      result.ipc_scaling = result.cores->per_cycle / first.cores->per_cycle;
      result.frequency_scaling = result.cores->frequency_hz / first.cores->frequency_hz;
    }
    result.speedup = ratio(first.wall_s, result.wall_s);
    result.computation = ratio(first.useful_s, result.useful_s);
    if (result.efficiencies && result.computation)
      result.global = result.efficiencies->parallel * *result.computation;
  }
  return scaled;
}

}  // namespace plimsoll::collectives
