#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

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
