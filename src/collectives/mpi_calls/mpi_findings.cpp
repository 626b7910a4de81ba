#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include <plimsoll/collectives/mpi_callers.hpp>
#include <plimsoll/collectives/mpi_findings.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_findings = 3;

// Part of the time outside MPI from which on it is not only time that ranks compute.
constexpr double relevant_off_share = 0.05;

// From this load balance on, the work counts as balanced.
constexpr double good_balance = 0.9;

bool were_off_processor(const MpiSummary& run) {
  return run.processors.off_share() > relevant_off_share;
}

/// Returns whether the time outside MPI is not a measure of the work, because ranks lacked cores.
bool lacked_cores(const MpiSummary& run) {
  return were_off_processor(run) && run.processors.cause != ProcessorUse::Cause::waiting;
}

std::string crowd_text(const Oversubscription& crowd) {
  const auto number = [](std::uint64_t count, const char* what) {
    return fmt::format("{} {}{}", support::format_count(count), what, count == 1 ? "" : "s");
  };
  const std::string ranks = number(crowd.ranks, "rank");
  return fmt::format("{} may use {} of {}",
                     crowd.threads == crowd.ranks ? ranks : number(crowd.threads, "thread") + " of " + ranks,
                     number(crowd.cores, "core"), crowd.host);
}

std::string cause_text(const ProcessorUse& use) {
  switch (use.cause) {
    case ProcessorUse::Cause::oversubscribed:
      return "oversubscribed (" + crowd_text(*use.oversubscription) + "); start at most one of them per core";
    case ProcessorUse::Cause::interrupted:
      return "most of it, they were ready, but other threads or processes used their cores, or a limit "
             "applied";
    case ProcessorUse::Cause::waiting: return "most of it, they slept or waited outside MPI, e.g. for files";
    case ProcessorUse::Cause::unknown: break;
  }
  return "they slept, waited for files, or had no core" +
         (use.oversubscription ? " (" + crowd_text(*use.oversubscription) + ")" : "");
}

std::optional<Finding> off_processor(const MpiSummary& run) {
  if (!were_off_processor(run)) return std::nullopt;
  const double share = run.share_of(run.processors.off_s);
  return Finding{fmt::format("Ranks were outside MPI but off the processor for at least {} of the run: {}",
                             format_percentage(share), cause_text(run.processors)),
                 "", share};
}

/// Names the ranks with much more work than the mean, and how much.
std::string busiest_ranks(const MpiSummary& run) {
  constexpr std::uint64_t max_shown = 8;
  const TimeBalance& work = run.outside;
  NumberList ranks;
  double least_s = work.max_s;
  for (std::size_t k = 0; k < run.ranks.size(); ++k)
    if (const double time_s = *run.ranks[k].outside_s; time_s >= (work.mean_s + work.max_s) / 2) {
      ranks.push_back(k);
      least_s = std::min(least_s, time_s);
    }
  const double factor = least_s / work.mean_s;
  if (ranks.size() == 1)
    return fmt::format("rank {} is outside MPI for {:.2f} x the mean", work.max_rank, factor);
  if (ranks.run_count() > max_shown)
    return fmt::format("{} ranks, most of all rank {}, are outside MPI for at least {:.2f} x the mean",
                       support::format_count(ranks.size()), work.max_rank, factor);
  return fmt::format("ranks {} are outside MPI for at least {:.2f} x the mean", ranks.to_string(), factor);
}

/// Names the node whose ranks have the most work, and how much.
std::string busiest_node(const MpiCalls& calls, const MpiSummary& run) {
  struct Node {
    double sum_s = 0;
    double ranks = 0;
    double mean_s() const { return sum_s / ranks; }
  };
  std::map<std::string_view, Node> nodes;
  for (std::size_t k = 0; k < run.ranks.size(); ++k) {
    Node& node = nodes[calls.ranks[k].host];
    node.sum_s += *run.ranks[k].outside_s;
    ++node.ranks;
  }
  const auto busiest =
      std::ranges::max_element(nodes, {}, [](const auto& node) { return node.second.mean_s(); });
  return fmt::format("the ranks on {} are outside MPI for {:.2f} x the mean of all", busiest->first,
                     busiest->second.mean_s() / run.outside.mean_s);
}

/// Names the rank that certainly has more CPU time outside MPI than the mean. The CPU time in MPI is unknown:
/// it is at most the time there. Returns "" if no rank certainly has.
std::string busiest_by_cpu_time(const MpiCalls& calls) {
  constexpr double min_factor = 1.05;
  double sum_s = 0;  // of all CPU times, also in MPI
  double most_s = 0;
  std::size_t busiest = 0;
  for (std::size_t k = 0; k < calls.ranks.size(); ++k) {
    const MpiCalls::Rank& rank = calls.ranks[k];
    if (!rank.user_s || !rank.system_s) return "";
    const double cpu_s = *rank.user_s + *rank.system_s;
    sum_s += cpu_s;
    if (cpu_s - rank.mpi_s > most_s) most_s = cpu_s - rank.mpi_s, busiest = k;
  }
  const double factor = most_s * static_cast<double>(calls.ranks.size()) / sum_s;
  return factor >= min_factor
             ? fmt::format("; by CPU time, rank {} computes at least {:.2f} x the mean", busiest, factor)
             : "";
}

std::string call_name(const MpiCalls& calls, const MpiCalls::Site& site) {
  return fmt::format("{} at {}", calls.functions[site.function].name, short_location(site.location));
}

/// Names the calls between which the busiest rank spends most of the time that it is outside MPI for longer
/// than the mean, `excess_s`: at most two places. Returns "" if it does so in many places.
std::string where_work_differs(const MpiCalls& calls, double excess_s) {
  constexpr std::size_t max_places = 2;
  constexpr double min_share = 0.2;      // of each place
  constexpr double min_explained = 0.5;  // by these places together
  const auto ranks = static_cast<double>(calls.ranks.size());
  std::vector<std::pair<double, const MpiCalls::Site*>> places;
  for (const MpiCalls::Site& site : calls.sites) {
    if (!site.work_before) continue;
    const double excess_before_s = site.work_before->busiest_s - site.work_before->sum_s / ranks;
    if (excess_before_s > min_share * excess_s)
      places.emplace_back(std::min(1.0, excess_before_s / excess_s), &site);
  }
  std::ranges::stable_sort(places, std::greater(), &decltype(places)::value_type::first);
  if (places.size() > max_places) places.resize(max_places);
  std::string text;
  double explained = 0;
  for (const auto& [share, site] : places) {
    explained += share;
    const auto previous = site->work_before->previous_site;
    text += fmt::format("{} {}{}", text.empty() ? ";" : ",", format_percentage(share),
                        text.empty() ? " of the difference is" : "");
    text += previous ? fmt::format(" between {} and {}", call_name(calls, calls.sites[*previous]),
                                   call_name(calls, *site))
                     : fmt::format(" before {}", call_name(calls, *site));
  }
  return explained >= min_explained ? text : "";
}

/// The run time with balanced work follows from the rank with the most work: its time in MPI remains.
std::string gain_text(const MpiCalls& calls, const MpiSummary& run, double gain_s) {
  if (lacked_cores(run))
    return "this includes the time without a processor, so measure again on free cores before you balance "
           "it" +
           busiest_by_cpu_time(calls);
  return fmt::format(
      "with balanced work and the same time in MPI, the run is {:.2f} x as fast; measure the work there to "
      "balance it",
      run.longest_wall_s / (run.longest_wall_s - gain_s));
}

std::optional<Finding> load_balance(const MpiCalls& calls, const MpiSummary& run,
                                    const std::vector<std::string>& paths) {
  if (!run.efficiencies) return std::nullopt;
  const Efficiencies& of = *run.efficiencies;
  const double gain_s = run.outside.max_s - run.outside.mean_s;
  const std::string where = of.between_nodes && *of.between_nodes < *of.within_nodes
                                ? fmt::format("between nodes {:.3f}: {}", *of.between_nodes,
                                              busiest_node(calls, run) + "; " + busiest_ranks(run))
                                : fmt::format("{:.3f}: {}", of.load_balance, busiest_ranks(run));
  return Finding{fmt::format("Load balance {}{}; {}", where, where_work_differs(calls, gain_s),
                             gain_text(calls, run, gain_s)),
                 command_line("collectives sites", paths, "--sort waited"), gain_s / run.longest_wall_s};
}

std::string most_expensive(const std::vector<CallSite>& sites) {
  if (sites.empty()) return "";
  return fmt::format("; the call with the most time is {} at {} ({} of the run)", *sites.front().function,
                     name_with_caller(*sites.front().site), format_percentage(sites.front().share));
}

/// Returns the same for the call that costs most besides the measured waiting.
std::string most_expensive_transfer(std::vector<CallSite> sites) {
  const auto rest_s = [](const CallSite& site) { return site.site->time_s - site.waited_s.value_or(0); };
  const auto most = std::ranges::max_element(sites, {}, rest_s);
  if (most == sites.end() || rest_s(*most) <= 0) return "";
  return fmt::format("; the call with the most time besides waiting is {} at {} ({} of the run)",
                     *most->function, name_with_caller(*most->site),
                     format_percentage(most->share * rest_s(*most) / most->site->time_s));
}

/// Explains serialisation. The totals of the work do not show it.
std::string uneven_order(const Efficiencies& of) {
  return of.load_balance >= good_balance
             ? fmt::format(
                   "the work is balanced (load balance {:.3f}), but its order is not: ranks wait for "
                   "the work of others in turn",
                   of.load_balance)
             : "ranks wait for the work of others in turn, which the totals of the work do not show";
}

std::string lost_in_communication(const MpiSummary& run) {
  const Efficiencies& of = *run.efficiencies;
  const MpiSummary::Rank& busiest = run.ranks[run.outside.max_rank];
  if (of.load_balance < good_balance)
    return fmt::format("even rank {}, which has the most time outside MPI, spends {} of the run in MPI",
                       run.outside.max_rank, format_percentage(busiest.mpi_s / run.longest_wall_s));
  // If this rank waits for ranks with less work, the order of the work is the cause, not its amount.
  if (busiest.waited_s && *busiest.waited_s >= 0.5 * busiest.mpi_s) return uneven_order(of);
  return fmt::format(
      "the work is balanced (load balance {:.3f}), so its order, the network or MPI itself limits the run",
      of.load_balance);
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
  return {{fmt::format("Serialisation {:.3f}: {}{}", *of.serialisation, uneven_order(of), site), command,
           *of.transfer - of.communication},
          {fmt::format("Transfer {:.3f}: the transfer of data and MPI itself cost {} of the run{}",
                       *of.transfer, format_percentage(1 - *of.transfer), most_expensive_transfer(sites)),
           command, 1 - *of.transfer}};
}

/// Reports that no finding concerns a relevant share of the run.
Finding nothing_to_gain(const MpiSummary& run, const std::vector<std::string>& paths) {
  const std::string mpi_share = "MPI takes " + format_percentage(run.mpi_share()) + " of the run";
  if (!is_mpi_relevant(run)) return {mpi_share + ": nothing to gain here", "", run.mpi_share()};
  return {fmt::format("{}, but load balance and communication cost less than {} each", mpi_share,
                      format_percentage(relevant_share)),
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
                                  const std::optional<Finding>& placement) {
  const MpiSummary run = summarize(calls);
  const std::vector<CallSite> sites = list_call_sites(calls);
  std::vector<Finding> findings = communication(run, sites, paths);
  if (const auto uneven = load_balance(calls, run, paths)) findings.push_back(*uneven);
  if (placement) findings.push_back(*placement);
  const std::optional<Finding> off = off_processor(run);
  if (off && !lacked_cores(run)) findings.push_back(*off);
  std::erase_if(findings, [](const Finding& finding) { return finding.share < relevant_share; });
  std::ranges::stable_sort(findings, std::greater(), &Finding::share);
  if (off && lacked_cores(run) && off->share >= relevant_share) findings.insert(findings.begin(), *off);
  if (findings.size() > max_findings) findings.resize(max_findings);
  if (findings.empty()) findings.push_back(nothing_to_gain(run, paths));
  return findings;
}

}  // namespace plimsoll::collectives
