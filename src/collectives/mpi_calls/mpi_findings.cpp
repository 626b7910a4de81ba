#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "collectives/mpi_calls/balance_finding.hpp"
#include "collectives/mpi_calls/processor_findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::format_percentage;

constexpr std::size_t max_findings = 3;

/// Shorter runs allow no conclusions: the operating system counts processor time in steps of some
/// milliseconds.
constexpr double shortest_run_s = 0.01;

std::string most_expensive(const std::vector<CallSite>& sites) {
  if (sites.empty()) return "";
  return fmt::format("; the call with the most time is {} at {} ({} of the run)", *sites.front().function,
                     name_with_caller(*sites.front().site), format_percentage(sites.front().share));
}

/// Returns the call in which ranks wait most, or the one with the most time if no waits were measured.
std::string longest_wait(const std::vector<CallSite>& sites) {
  const auto waited_s = [](const CallSite& site) { return site.waited_s.value_or(0); };
  const auto most = std::ranges::max_element(sites, {}, waited_s);
  if (most == sites.end() || waited_s(*most) <= 0) return most_expensive(sites);
  return fmt::format("; the call with the most measured waiting is {} at {} ({} of the run)", *most->function,
                     name_with_caller(*most->site),
                     format_percentage(most->share * waited_s(*most) / most->site->time_s));
}

/// Returns the call that costs most besides the measured waiting.
std::string most_expensive_transfer(const std::vector<CallSite>& sites) {
  const auto rest_s = [](const CallSite& site) { return site.site->time_s - site.waited_s.value_or(0); };
  const auto most = std::ranges::max_element(sites, {}, rest_s);
  if (most == sites.end() || rest_s(*most) <= 0) return "";
  return fmt::format("; the call with the most time besides {}waiting is {} at {} ({} of the run{})",
                     most->waited_s ? "" : "measured ", *most->function, name_with_caller(*most->site),
                     format_percentage(most->share * rest_s(*most) / most->site->time_s),
                     most->waited_s ? "" : ", an unknown part of which is waiting");
}

/// Names what costs the time that a network of zero cost would save.
std::string costs_of_transfer(const MpiSummary& run, const std::vector<CallSite>& sites) {
  const bool starts_processes = std::ranges::any_of(
      sites, [](const CallSite& site) { return site.function->starts_with("MPI_Comm_spawn"); });
  std::string costs = "the transfer of data";
  if (starts_processes) costs += ", the start of processes";
  return costs + (lacked_cores(run) ? ", MPI itself and ranks without a core in MPI" : " and MPI itself");
}

/// Whether the clocks of hosts agree well enough to tell where ranks waited.
bool are_waits_certain(const MpiSummary& run) {
  return run.waits_error_s.value_or(0) <= 0.5 * run.waited_s.value_or(0);
}

/// Explains serialisation. The totals of the work do not show it.
std::string uneven_order(const MpiSummary& run) {
  if (lacked_cores(run)) return "ranks wait for others in turn, some of which may have had no core";
  if (!is_balanced(run))
    return "ranks wait for the work of others in turn, which the totals of the work do not show";
  return fmt::format(
      "the work is balanced (load balance {:.3f}), but its order is not: ranks wait for the work of others "
      "in turn",
      run.efficiencies->load_balance);
}

/// Returns whether most of what looks lost in communication is time that the rank with the most time outside
/// MPI was not recorded for.
bool is_loss_missing_time(const MpiSummary& run) {
  const MpiSummary::Rank& busiest = run.ranks[run.outside.max_rank];
  const double lost_s = run.longest_wall_s - run.outside.max_s;
  return is_busiest_rank_short(run) && busiest.mpi_s < 0.5 * lost_s;
}

std::string lost_in_communication(const MpiSummary& run) {
  const MpiSummary::Rank& busiest = run.ranks[run.outside.max_rank];
  if (is_loss_missing_time(run))
    return fmt::format("rank {}, which has the most time outside MPI, was recorded for less time than others",
                       run.outside.max_rank);
  if (!is_balanced(run))
    return fmt::format("even rank {}, which has the most time outside MPI, spends {} of the run in MPI",
                       run.outside.max_rank, format_percentage(busiest.mpi_s / run.longest_wall_s));
  if (lacked_cores(run))
    return "the order of the work, the network, MPI itself or the lack of cores limits the run";
  // If this rank waits for ranks with less work, the order of the work is the cause, not its amount.
  if (are_waits_certain(run) && busiest.waited_s && *busiest.waited_s >= 0.5 * busiest.mpi_s)
    return uneven_order(run);
  return fmt::format(
      "the work is balanced (load balance {:.3f}), so its order, the network or MPI itself limits the run",
      run.efficiencies->load_balance);
}

/// Returns findings for the factors of the communication efficiency, as far as they are known.
std::vector<Finding> communication(const MpiSummary& run, const std::vector<CallSite>& sites,
                                   const std::vector<std::string>& paths) {
  const std::string command = command_line("collectives sites", paths);
  const std::string site = most_expensive(sites);
  if (!run.efficiencies) {
    if (sites.empty()) return {};
    return {{fmt::format("{} at {} takes {} of the run", *sites.front().function,
                         name_with_caller(*sites.front().site), format_percentage(sites.front().share)),
             command, sites.front().share}};
  }
  const Efficiencies& of = *run.efficiencies;
  if (!of.transfer)
    return {{fmt::format("Communication efficiency {:.3f}: {}{}", of.communication,
                         lost_in_communication(run), site),
             command, 1 - of.communication}};
  return {
      {fmt::format("Serialisation {:.3f}: {}{}", *of.serialisation, uneven_order(run),
                   are_waits_certain(run) ? longest_wait(sites) : site),
       command, *of.transfer - of.communication},
      {fmt::format("Transfer {:.3f}: {} cost {} of the run{}", *of.transfer, costs_of_transfer(run, sites),
                   format_percentage(1 - *of.transfer), most_expensive_transfer(sites)),
       command, 1 - *of.transfer}};
}

/// Reports that no finding concerns a relevant share of the run.
Finding nothing_to_gain(const MpiSummary& run, const std::vector<std::string>& paths) {
  const std::string mpi_share = "MPI takes " + format_percentage(run.mpi_share()) + " of the run";
  if (!is_mpi_relevant(run)) return {mpi_share + ": nothing to gain here", "", run.mpi_share()};
  const char* const parts = !run.efficiencies ? "no call costs"
                            : run.efficiencies->transfer
                                ? "neither load balance nor serialisation nor transfer costs"
                                : "neither load balance nor communication costs";
  return {fmt::format("{}, but {} {} or more", mpi_share, parts, format_percentage(relevant_share)),
          command_line("collectives sites", paths), run.mpi_share()};
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
                                  const std::vector<Finding>& placements) {
  if (knows_no_calls(calls)) return {};
  const MpiSummary run = summarize(calls);
  if (run.longest_wall_s < shortest_run_s)
    return {
        {fmt::format("The run took {}: too short for findings", support::format_seconds(run.longest_wall_s)),
         "", 0}};
  const std::vector<CallSite> sites = list_call_sites(calls);
  std::vector<Finding> findings = communication(run, sites, paths);
  if (const auto uneven = load_balance(calls, run, paths)) findings.push_back(*uneven);
  findings.insert(findings.end(), placements.begin(), placements.end());
  std::optional<Finding> first = without_core(run);  // affects all others
  std::optional<Finding> off = off_processor(run);
  if (!first && lacked_cores(run)) first.swap(off);
  if (off) findings.push_back(*off);
  std::erase_if(findings, [](const Finding& finding) { return finding.share < relevant_share; });
  std::ranges::stable_sort(findings, std::greater(), &Finding::share);
  if (first && (first->share >= relevant_share || lost_share(run) >= relevant_share))
    findings.insert(findings.begin(), *first);
  if (findings.size() > max_findings) findings.resize(max_findings);
  if (findings.empty()) findings.push_back(nothing_to_gain(run, paths));
  return findings;
}

}  // namespace plimsoll::collectives
