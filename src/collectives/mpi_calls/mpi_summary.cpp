#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/support/imbalance.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::optional<double> waited(const MpiCalls::Site& site, const std::string& function) {
  if (may_wait(function)) return site.time_s;
  return purpose_of(function) == MpiPurpose::collective ? site.beyond_fastest_s : std::nullopt;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

double sort_key(const CallSite& site, SiteOrder order) {
  switch (order) {
    case SiteOrder::by_time: return site.site->time_s;
    case SiteOrder::by_wait: return site.waited_s.value_or(-1);
    case SiteOrder::by_bytes: return static_cast<double>(site.bytes());
    case SiteOrder::by_calls: return static_cast<double>(site.site->calls);
  }
  return 0;
}

/// Adds up the times of ranks in ascending order.
struct TimeSum : TimeBalance {
  std::uint32_t ranks = 0;

  void add(std::uint32_t rank, double time_s) {
    if (ranks == 0 || time_s > max_s) max_s = time_s, max_rank = rank;
    if (ranks == 0 || time_s < min_s) min_s = time_s, min_rank = rank;
    sum_s += time_s;
    mean_s = sum_s / ++ranks;
  }
};

MpiSummary::Function summarize(const MpiCalls::Function& function, double wall_s) {
  MpiSummary::Function summary{.name = function.name};
  TimeSum time;
  for (std::uint32_t rank = 0; rank < function.calls.size(); ++rank) {
    if (function.calls[rank] == 0) continue;
    summary.calls = add(summary.calls, function.calls[rank]);
    time.add(rank, function.time_s[rank]);
  }
  summary.ranks = time.ranks;
  summary.time = time;
  summary.share = wall_s > 0 ? summary.time.sum_s / wall_s : 0;
  return summary;
}

MpiSummary::PointToPoint summarize_traffic(const MpiCalls& calls) {
  MpiSummary::PointToPoint sum;
  for (const MpiCalls::Traffic& pair : calls.traffic) {
    const double bytes = static_cast<double>(pair.bytes);
    sum.messages = add(sum.messages, pair.messages);
    sum.bytes += bytes;
    if (calls.ranks[pair.from].host != calls.ranks[pair.to].host) sum.between_nodes_bytes += bytes;
  }
  return sum;
}

/// Adds the times that ranks may have waited. The summary contains the times outside MPI.
void add_waits(const MpiCalls& calls, MpiSummary& summary) {
  double in_collectives_s = 0;
  for (const CallSite& site : list_call_sites(calls)) {
    summary.waited_s += site.waited_s.value_or(0);
    if (!may_wait(*site.function)) in_collectives_s += site.waited_s.value_or(0);
  }
  for (std::size_t k = 0; k < calls.ranks.size(); ++k) {
    MpiSummary::Rank& rank = summary.ranks[k];
    rank.waited_s = calls.ranks[k].beyond_fastest_s;
    if (!rank.waited_s && in_collectives_s == 0) rank.waited_s = 0;
    for (const MpiCalls::Function& function : calls.functions) {
      if (purpose_of(function.name) == MpiPurpose::wait) rank.waits_s += function.time_s[k];
      if (rank.waited_s && may_wait(function.name)) *rank.waited_s += function.time_s[k];
    }
  }
  if (summary.ranks_beyond_wall_time > 0) return;
  const auto ranks = static_cast<double>(summary.ranks.size());
  const double by_totals_s = ranks * (summary.outside.max_s - summary.outside.mean_s);
  // All other ranks wait while one works: longer waits have other causes, such as ranks without a processor.
  const double by_work_s = (ranks - 1) * summary.outside.sum_s;
  summary.uneven_calls_s = std::max(0.0, std::min(in_collectives_s, by_work_s) - by_totals_s);
}

using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_findings = 3;

/// The work of all ranks ends when that of the slowest rank ends. With perfect balance, it ends at the mean.
Finding imbalance(const MpiSummary& summary, const std::vector<std::string>& paths) {
  const TimeBalance& outside = summary.outside;
  const double gain_s = outside.max_s - outside.mean_s;
  const double share = summary.longest_wall_s > 0 ? gain_s / summary.longest_wall_s : 0;
  return {
      fmt::format("Rank {} spends {} outside MPI, {} more than the mean: balanced work saves up to {} ({} of "
                  "the run); measure the work in the program to balance it",
                  outside.max_rank, format_seconds(outside.max_s), format_percentage(outside.imbalance()),
                  format_seconds(gain_s), format_percentage(share)),
      command_line("collectives sites", paths, "--sort waited"), share};
}

/// The totals of ranks hide work that is uneven between two calls, if other ranks have more of it each time.
Finding uneven_calls(const MpiSummary& summary) {
  return {fmt::format(
              "In each collective call, other ranks are late: ranks wait up to {} ({} of the run) on "
              "average more than their total times outside MPI explain, whose imbalance is {:.4f}; measure "
              "the work between the calls in the program to balance it",
              format_seconds(summary.uneven_calls_s / static_cast<double>(summary.ranks.size())),
              format_percentage(summary.uneven_calls_share()), summary.outside.imbalance()),
          "", summary.uneven_calls_share()};
}

Finding most_expensive_site(const CallSite& site, const std::vector<std::string>& paths) {
  const double waiting = site.waited_s && site.site->time_s > 0 ? *site.waited_s / site.site->time_s : 0;
  return {fmt::format("{} at {} takes {} of the run{}", *site.function, short_location(site.site->location),
                      format_percentage(site.share),
                      waiting > 0 ? fmt::format(", up to {} of it waiting for other ranks",
                                                format_percentage(waiting))
                                  : ""),
          command_line("collectives sites", paths), site.share};
}

}  // namespace

std::vector<CallSite> list_call_sites(const MpiCalls& calls, SiteOrder order) {
  double wall_s = 0;
  for (const MpiCalls::Rank& rank : calls.ranks) wall_s += rank.wall_s;
  std::vector<CallSite> sites;
  sites.reserve(calls.sites.size());
  for (const MpiCalls::Site& site : calls.sites) {
    const std::string& function = calls.functions[site.function].name;
    sites.push_back({.site = &site,
                     .function = &function,
                     .share = wall_s > 0 ? site.time_s / wall_s : 0,
                     .waited_s = waited(site, function),
                     .imbalance = support::imbalance(site.max_time_s, site.time_s / site.ranks)});
  }
  std::ranges::stable_sort(sites, std::greater(),
                           [order](const CallSite& site) { return sort_key(site, order); });
  return sites;
}

std::string module_name(const std::string& location) {
  return name_of(location.substr(0, std::min(location.find('('), location.rfind(" [0x"))));
}

std::string short_location(const std::string& location) {
  // MODULE(FUNCTION+0xOFFSET) [0xADDRESS] FILE:LINE, whose parts other than MODULE and ADDRESS may be
  // missing.
  const std::size_t address = location.rfind(" [0x");
  if (address == std::string::npos) return location;
  const std::size_t line = location.find("] ", address);
  if (line == std::string::npos) return name_of(location);
  const std::size_t function = location.find('(') + 1;
  const std::size_t offset = location.rfind("+0x", address);
  std::string text = name_of(location.substr(line + 2));
  if (function > 0 && offset != std::string::npos && function < offset)
    text += " (" + location.substr(function, offset - function) + ")";
  return text;
}

MpiSummary summarize(const MpiCalls& calls) {
  MpiSummary summary;
  TimeSum outside;
  std::set<std::string_view> hosts;
  for (const MpiCalls::Rank& rank : calls.ranks) {
    summary.wall_s += rank.wall_s;
    summary.longest_wall_s = std::max(summary.longest_wall_s, rank.wall_s);
    summary.mpi_s += rank.mpi_s;
    MpiSummary::Rank& times = summary.ranks.emplace_back();
    if (rank.mpi_s <= rank.wall_s) {
      times.outside_s = rank.wall_s - rank.mpi_s;
      outside.add(static_cast<std::uint32_t>(summary.ranks.size() - 1), *times.outside_s);
    } else {
      ++summary.ranks_beyond_wall_time;
    }
    hosts.insert(rank.host);
  }
  summary.outside = outside;
  summary.nodes = static_cast<std::uint32_t>(hosts.size());
  summary.point_to_point = summarize_traffic(calls);
  add_waits(calls, summary);
  for (const MpiCalls::Function& function : calls.functions)
    summary.functions.push_back(summarize(function, summary.wall_s));
  std::ranges::stable_sort(summary.functions, std::greater(),
                           [](const MpiSummary::Function& function) { return function.time.sum_s; });
  return summary;
}

bool is_mpi_relevant(const MpiSummary& summary) {
  return summary.mpi_share() >= relevant_share;
}

std::string command_line(const std::string& command, const std::vector<std::string>& paths,
                         const std::string& options) {
  std::string line = "plimsoll " + command;
  if (paths != std::vector<std::string>{"."})
    for (const std::string& path : paths) line += ' ' + support::shell_quoted(path);
  return options.empty() ? line : line + ' ' + options;
}

std::vector<Finding> mpi_findings(const MpiCalls& calls, const std::vector<std::string>& paths,
                                  const std::optional<Finding>& placement) {
  const MpiSummary summary = summarize(calls);
  const std::vector<CallSite> sites = list_call_sites(calls);
  std::vector<Finding> findings = {imbalance(summary, paths), uneven_calls(summary)};
  if (placement) findings.push_back(*placement);
  if (!sites.empty()) findings.push_back(most_expensive_site(sites.front(), paths));
  std::erase_if(findings, [](const Finding& finding) { return finding.share < relevant_share; });
  std::ranges::stable_sort(findings, std::greater(), &Finding::share);
  if (findings.size() > max_findings) findings.resize(max_findings);
  if (!findings.empty()) return findings;
  const std::string mpi_share = "MPI takes " + format_percentage(summary.mpi_share()) + " of the run";
  if (!is_mpi_relevant(summary)) return {{mpi_share + ": nothing to gain here", "", summary.mpi_share()}};
  return {{fmt::format("{}, spread over {} call sites with less than {} each", mpi_share, sites.size(),
                       format_percentage(relevant_share)),
           command_line("collectives sites", paths), summary.mpi_share()}};
}

}  // namespace plimsoll::collectives
