#include <map>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands/collectives/placement_findings.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;
using support::format_percentage;
using support::format_seconds;

constexpr std::size_t max_findings = 3;

// A finding concerns at least this share of the calls, or the time in collectives.
constexpr double min_share = 0.1;

/// Returns the time from MPI_Init to the last recorded call, summed over all ranks; 0 if the profile does not
/// contain timestamps.
double recorded_time_s(const Profile& profile) {
  double last_s = 0;
  for (const Lead& lead : profile.leads)
    for (const RankValues& begins : lead.begin_s)
      for (const double begin_s : begins.values) last_s = std::max(last_s, begin_s);
  return last_s * known_world_size(profile);
}

/// Reports the rank that causes most of the wait time, unless that time is within the clock error.
std::optional<Finding> late_rank(const Profile& profile, const Summary& summary, const MpiSummary* program) {
  const std::vector<std::uint32_t> late = late_ranks(summary);
  if (late.empty()) return std::nullopt;
  const RankSummary& rank = summary.ranks[late.front()];
  const auto calls = static_cast<double>(rank.latest_in_calls);
  if (rank.made_wait_s < 0.5 * summary.waited_s) return std::nullopt;
  if (rank.made_wait_s <= calls * summary.clock_error_s.value_or(0)) return std::nullopt;
  std::string text =
      fmt::format("Rank {} enters {} of calls last, and other ranks wait {} for it", late.front(),
                  format_percentage(share(calls, static_cast<double>(summary.arrival_calls))),
                  format_seconds(rank.made_wait_s));
  if (summary.timed_calls > 0) {
    const double share_of_time = share(rank.made_wait_s, summary.time_s);
    if (share_of_time < min_share) return std::nullopt;
    text += fmt::format(", {} of all time in calls", format_percentage(share_of_time));
  }
  const double run_s = program != nullptr ? program->wall_s : recorded_time_s(profile);
  return Finding{text, summary.calls > 0 ? "collectives calls --sort late" : "",
                 run_s > 0 ? std::optional(rank.made_wait_s / run_s) : std::nullopt};
}

/// Calls in which most ranks exchange no data, and their counts.
struct SparseCalls {
  std::uint64_t calls = 0;
  std::uint64_t counts = 0;  ///< of one call of each count set
  std::uint64_t zeros = 0;   ///< among `counts`
  Degree partners;
  bool all_are_halos = true;
  bool all_are_blocking = true;
  std::map<std::string, std::uint64_t> calls_by_function;

  void add(const Signature& signature, const Structure& structure, std::uint64_t zeros_of_call) {
    partners.min = calls == 0 ? structure.sends_to.min : std::min(partners.min, structure.sends_to.min);
    partners.max = std::max(partners.max, structure.sends_to.max);
    calls += signature.calls.size();
    counts += std::uint64_t{signature.comm_size} * signature.send.matrix.columns;
    zeros += zeros_of_call;
    all_are_halos = all_are_halos && structure.kind == StructureClass::halo;
    all_are_blocking = all_are_blocking && signature.operation.mode == Mode::blocking;
    calls_by_function["MPI_" + signature.operation.name()] += signature.calls.size();
  }
};

std::uint64_t zero_counts(const CountMatrix& matrix) {
  std::uint64_t zeros = 0;
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    zeros += static_cast<std::uint64_t>(std::ranges::count(matrix.row(row), 0)) * matrix.ranks[row].size();
  return zeros;
}

/// Returns the calls whose cost grows with the number of all ranks although each rank has few partners.
SparseCalls find_sparse_calls(const Profile& profile) {
  constexpr double min_zeros = 0.75;  // of the counts, unless the structure is a halo exchange
  SparseCalls sparse;
  for (const Lead& lead : profile.leads)
    for (const Signature& signature : lead.signatures) {
      if (signature.operation.neighborhood || has_one_count(signature, Direction::send)) continue;
      const Structure structure = structure_of(signature);
      const std::uint64_t zeros = zero_counts(signature.send.matrix);
      const double counts = static_cast<double>(signature.comm_size) * signature.send.matrix.columns;
      const bool is_sparse = structure.senders > 0 && static_cast<double>(zeros) >= min_zeros * counts;
      // A collective with a root fits these better than one with neighbours.
      const bool is_rooted =
          structure.kind == StructureClass::gather || structure.kind == StructureClass::scatter;
      if (structure.kind == StructureClass::halo || (is_sparse && !is_rooted))
        sparse.add(signature, structure, zeros);
    }
  return sparse;
}

/// Returns the share of the run that these functions take besides waiting, as far as that was measured. Waits
/// may complete those that do not block.
std::optional<double> share_without_waits(const SparseCalls& sparse, const RecordedRun& run,
                                          const MpiSummary* program) {
  if (program == nullptr) return std::nullopt;
  if (!sparse.all_are_blocking) return share_of(TrafficKind::collectives, program);
  double time_s = 0;
  for (const CallSite& site : list_call_sites(*run.mpi_calls()))
    if (sparse.calls_by_function.contains(*site.function))
      time_s += site.site->time_s - site.waited_s.value_or(0);
  return program->share_of(time_s);
}

/// Reports exchanges among few partners by collectives whose cost grows with the number of all ranks.
std::optional<Finding> sparse_exchanges(const RecordedRun& run, const Summary& summary,
                                        const MpiSummary* program) {
  const SparseCalls sparse = find_sparse_calls(run.profile());
  const double share_of_calls = share(static_cast<double>(sparse.calls), static_cast<double>(summary.calls));
  if (share_of_calls < min_share) return std::nullopt;
  const auto& function =
      *std::ranges::max_element(sparse.calls_by_function, {}, [](const auto& entry) { return entry.second; });
  const std::string partners =
      sparse.partners.min == sparse.partners.max
          ? count(sparse.partners.max, "partner")
          : fmt::format("{} to {} partners", count(sparse.partners.min), count(sparse.partners.max));
  const std::optional<double> without_waits = share_without_waits(sparse, run, program);
  return Finding{
      fmt::format(
          "{} of calls are {} with {} per rank, mostly by {}: {} of their counts are 0; a "
          "neighbourhood collective, such as MPI_Neighbor_alltoallv, skips all other ranks",
          format_percentage(share_of_calls), sparse.all_are_halos ? "halo exchanges" : "sparse exchanges",
          partners, function.first,
          format_percentage(share(static_cast<double>(sparse.zeros), static_cast<double>(sparse.counts)))),
      "collectives patterns", without_waits ? std::optional(*without_waits * share_of_calls) : std::nullopt};
}

}  // namespace

std::vector<Finding> find_what_to_do(const RecordedRun& run, const Summary& summary,
                                     const std::vector<std::string>& paths) {
  std::vector<Finding> findings;
  std::optional<collectives::MpiSummary> recorded;
  if (run.mpi_calls()) recorded = summarize(*run.mpi_calls());
  const MpiSummary* const program = recorded ? &*recorded : nullptr;
  const auto with_paths = [&](std::optional<Finding> found) {
    if (found && !found->command.empty()) found->command = command_line(found->command, paths);
    return found;
  };
  const std::optional<Finding> placement = with_paths(bytes_between_nodes(run, program));
  if (program != nullptr) {
    std::vector<Finding> placements;
    for (const auto& found : {placement, work_of_nodes(*run.mpi_calls(), *program)})
      if (found) placements.push_back(*found);
    findings = mpi_findings(*run.mpi_calls(), paths, placements);
    if (!is_mpi_relevant(*program)) return findings;
  }
  for (const std::optional<Finding>& found :
       {with_paths(late_rank(run.profile(), summary, program)), program == nullptr ? placement : std::nullopt,
        with_paths(sparse_exchanges(run, summary, program))})
    if (found && found->share.value_or(1) >= relevant_share && findings.size() < max_findings)
      findings.push_back(*found);
  if (findings.empty() && summary.calls > 0)
    findings.push_back(
        {"Nothing stands out in these collectives; plimsoll profile --record mpi shows what MPI "
         "costs the program",
         {},
         {}});
  return findings;
}

std::string findings_text(const std::vector<Finding>& findings) {
  if (findings.empty()) return "";
  std::string text = "\nFindings\n";
  for (const Finding& finding : findings) {
    text += fmt::format("- {}.\n", support::printable(finding.text));
    if (!finding.command.empty()) text += fmt::format("  Next: {}\n", finding.command);
  }
  return text;
}

}  // namespace plimsoll::cli
