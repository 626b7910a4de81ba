#include "cli/commands/collectives/placement_findings.hpp"

#include <algorithm>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/order_by_work.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_percentage;

bool is_quick_to_reorder(const Profile& profile) {
  constexpr std::uint64_t max_ranks = 512;
  constexpr std::uint64_t max_numbers = std::uint64_t{1} << 28;
  const std::uint64_t ranks = known_world_size(profile);
  std::uint64_t signatures = 0;
  for (const Lead& lead : profile.leads) signatures += lead.signatures.size();
  return ranks <= max_ranks && signatures * ranks * ranks <= max_numbers;
}

TrafficKind recorded_traffic(const RecordedRun& run) {
  const bool has_messages = run.mpi_calls() && !run.mpi_calls()->traffic.empty();
  return has_messages && run.has_counts() ? TrafficKind::all : default_traffic(run);
}

/// Returns "swap ranks 0 and 2, 1 and 5".
std::string swaps_text(const std::vector<placement::Swap>& swaps) {
  constexpr std::size_t max_shown = 4;
  std::string text;
  for (const auto& [one, other] : first(swaps, max_shown))
    text += fmt::format("{} {} and {}", text.empty() ? "swap ranks" : ",", one, other);
  return swaps.size() > max_shown ? text + fmt::format(" and {} more pairs", count(swaps.size() - max_shown))
                                  : text;
}

}  // namespace

std::optional<double> share_of(TrafficKind kind, const MpiSummary* program) {
  if (program == nullptr) return std::nullopt;
  double sum = 0;
  for (const MpiSummary::Function& function : program->functions) {
    using enum MpiPurpose;
    const MpiPurpose purpose = purpose_of(function.name);
    const bool in_collectives = purpose == collective || purpose == collective_start;
    if (purpose == wait || (in_collectives && kind != TrafficKind::point_to_point) ||
        (purpose == transfer && kind != TrafficKind::collectives))
      sum += function.share;
  }
  return sum;
}

std::optional<Finding> bytes_between_nodes(const RecordedRun& run, const MpiSummary* program) {
  if (!is_quick_to_reorder(run.profile())) return std::nullopt;
  const std::vector<std::string> hosts = rank_hosts(run);
  if (std::ranges::any_of(hosts, &std::string::empty)) return std::nullopt;
  constexpr double min_saved = 0.1;  // of the bytes
  try {
    const TrafficKind kind = recorded_traffic(run);
    const placement::Site site = placement::find_site({}, hosts);
    const placement::Reordering result = placement::reorder(traffic(run, kind).bytes, site.nodes, site.start);
    const double saved = share(result.before_bytes - result.after_bytes, result.total_bytes);
    if (saved < min_saved) return std::nullopt;
    std::string text = fmt::format("{} of {} between ranks cross nodes; another placement reduces this to {}",
                                   bytes_text(result.before_bytes), bytes_text(result.total_bytes),
                                   bytes_text(result.after_bytes));
    std::optional<double> share_of_run = share_of(kind, program);
    if (share_of_run) {
      const double part = share(result.before_bytes - result.after_bytes, result.before_bytes);
      const auto transfer = program->efficiencies ? program->efficiencies->transfer : std::nullopt;
      share_of_run = std::min(*share_of_run, 1 - transfer.value_or(0)) * part;
      text += "; if transfers take time in proportion to these bytes, it ";
      text += transfer ? fmt::format("raises transfer from {:.3f} to at most {:.3f}", *transfer,
                                     *transfer + *share_of_run)
                       : fmt::format("saves at most {} of the run", format_percentage(*share_of_run));
    }
    const std::string command = kind == default_traffic(run)
                                    ? "collectives reorder"
                                    : fmt::format("collectives reorder --traffic {}", to_string(kind));
    return Finding{text, command, share_of_run};
  } catch (const Error&) {
    return std::nullopt;  // no matrix, e.g. of several jobs
  }
}

std::optional<Finding> work_of_nodes(const MpiCalls& calls, const MpiSummary& program) {
  if (!program.efficiencies || lacked_cores(program)) return std::nullopt;
  std::vector<std::string> hosts;
  std::vector<double> work;
  for (std::size_t rank = 0; rank < calls.ranks.size(); ++rank) {
    hosts.push_back(calls.ranks[rank].host);
    work.push_back(*program.ranks[rank].outside_s);
  }
  if (std::ranges::any_of(hosts, &std::string::empty)) return std::nullopt;
  const placement::OrderByWork order = placement::order_by_work(work, placement::find_site({}, hosts).start);
  if (order.swaps.empty()) return std::nullopt;
  const double share = (order.before_max - order.after_max) / program.longest_wall_s;
  return Finding{
      fmt::format("Another order of the ranks on the nodes raises load balance between nodes from {:.3f} "
                  "to {:.3f} ({}); it saves at most {} of the run, and only if ranks of a node share work",
                  order.mean / order.before_max, order.mean / order.after_max, swaps_text(order.swaps),
                  format_percentage(share)),
      "", share};
}

}  // namespace plimsoll::PLIMSOLL_ABI::cli
