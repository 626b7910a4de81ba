#include "collectives/mpi_calls/balance_finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include <plimsoll/support/internal/format.hpp>

#include "collectives/mpi_calls/processor_findings.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::format_percentage;

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

std::string call_name(const MpiCalls& calls, const MpiCalls::Site& site) {
  return fmt::format("{} at {}", calls.functions[site.function].name, short_location(site.location));
}

/// Returns between which calls the work before a site is, as far as that is known.
std::string place_of_work(const MpiCalls& calls, const MpiCalls::Site& site) {
  const auto previous = site.work_before->previous_site;
  if (!previous) return " before " + call_name(calls, site);
  if (&calls.sites[*previous] == &site) return " between two calls of " + call_name(calls, site);
  return fmt::format(" between {} and {}", call_name(calls, calls.sites[*previous]), call_name(calls, site));
}

/// Names the calls between which the busiest rank spends most of the time that it is outside MPI for longer
/// than the mean, `excess_s`: at most two places. Returns "" if it does so in many places.
std::string where_work_differs(const MpiCalls& calls, double excess_s) {
  constexpr std::size_t max_places = 2;
  constexpr double min_share = 0.2;      // of each place
  constexpr double min_explained = 0.5;  // by these places together
  const auto ranks = static_cast<double>(calls.ranks.size());
  std::vector<std::pair<double, const MpiCalls::Site*>> places;
  double longer_s = 0;  // exceeds excess_s if the rank is outside MPI for less than the mean elsewhere
  for (const MpiCalls::Site& site : calls.sites) {
    if (!site.work_before) continue;
    const double longer_before_s = site.work_before->busiest_s - site.work_before->sum_s / ranks;
    longer_s += std::max(0.0, longer_before_s);
    places.emplace_back(longer_before_s, &site);
  }
  longer_s = std::max(longer_s, excess_s);
  std::erase_if(places, [&](const auto& place) { return place.first <= min_share * longer_s; });
  std::ranges::stable_sort(places, std::greater(), &decltype(places)::value_type::first);
  if (places.size() > max_places) places.resize(max_places);
  std::string text;
  double explained = 0;
  for (const auto& [longer_before_s, site] : places) {
    explained += longer_before_s / longer_s;
    text += fmt::format("{} {}{}{}", text.empty() ? ";" : ",", format_percentage(longer_before_s / longer_s),
                        text.empty() ? " of the difference is" : "", place_of_work(calls, *site));
  }
  return explained >= min_explained ? text : "";
}

/// The run time with balanced work follows from the rank with the most work: its time in MPI remains.
std::string gain_text(const MpiCalls& calls, const MpiSummary& run, double gain_s) {
  if (lacked_cores(run))
    return "this includes the time without a processor, so measure again on free cores before you balance "
           "it" +
           busiest_by_cpu_time(calls);
  if (is_busiest_rank_short(run)) return "measure the work there to balance it";
  return fmt::format(
      "with balanced work and the same time in MPI, the run is {:.2f} x as fast; measure the work there to "
      "balance it",
      run.longest_wall_s / (run.longest_wall_s - gain_s));
}

}  // namespace

bool is_balanced(const MpiSummary& run) {
  return run.outside.max_s - run.outside.mean_s < relevant_share * run.longest_wall_s;
}

bool is_busiest_rank_short(const MpiSummary& run) {
  const MpiSummary::Rank& busiest = run.ranks[run.outside.max_rank];
  return busiest.outside_s.value_or(0) + busiest.mpi_s < (1 - relevant_share) * run.longest_wall_s;
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

}  // namespace plimsoll::collectives
