#include "collectives/mpi_calls/processor_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using Cause = ProcessorUse::Cause;

// Part of the time outside MPI from which on it is not only time that ranks compute.
constexpr double relevant_off_share = 0.05;

// Part of the run from which on waits for cores matter.
constexpr double relevant_core_wait_share = 0.1;

bool were_off_processor(const MpiSummary& run) {
  return run.processors.off_share() > relevant_off_share;
}

bool had_no_core(const MpiSummary& run) {
  const ProcessorUse& use = run.processors;
  return run.share_of(use.without_core_s) >= relevant_core_wait_share ||
         (were_off_processor(run) && (use.cause == Cause::oversubscribed || use.cause == Cause::interrupted));
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

}  // namespace

bool lacked_cores(const MpiSummary& run) {
  return had_no_core(run) || (were_off_processor(run) && run.processors.cause == Cause::unknown);
}

std::optional<Finding> without_core(const MpiSummary& run) {
  if (!had_no_core(run)) return std::nullopt;
  const double most_s = run.processors.without_core_s;
  const double least_s = std::max(0.0, most_s - run.unknown_waits_s);
  const bool is_bounded = run.share_of(least_s) >= relevant_core_wait_share;
  const double share = run.share_of(is_bounded ? least_s : most_s);
  const std::string cause =
      run.processors.oversubscription
          ? "oversubscribed (" + crowd_text(*run.processors.oversubscription) +
                "); start at most one of them per core"
          : "other threads or processes used their cores, or a limit applied; measure again on free cores";
  const std::string part = support::format_percentage(share) + " of the run";
  const std::string how_long = is_bounded ? "at least " + part + ", besides waiting for other ranks"
                                          : part + ", in part of which they may have waited for other ranks";
  return Finding{fmt::format("Ranks were ready to run, but had no core, for {}: {}", how_long, cause), "",
                 share};
}

std::optional<Finding> off_processor(const MpiSummary& run) {
  const ProcessorUse& use = run.processors;
  if (!were_off_processor(run) || (had_no_core(run) && use.cause != Cause::waiting)) return std::nullopt;
  const double share = run.share_of(use.off_s);
  const std::string how_long = share >= relevant_share
                                   ? support::format_percentage(share) + " of the run"
                                   : support::format_percentage(use.off_share()) + " of that time";
  const std::string cause =
      use.cause == Cause::waiting
          ? "most of it, they slept or waited outside MPI, e.g. for files"
          : "they slept, waited for files, or had no core" +
                (use.oversubscription ? " (" + crowd_text(*use.oversubscription) + ")" : "");
  return Finding{
      fmt::format("Ranks were outside MPI but off the processor for at least {}: {}", how_long, cause), "",
      share};
}

double lost_share(const MpiSummary& run) {
  if (!run.efficiencies || !lacked_cores(run)) return 0;
  return run.processors.off_share() * run.efficiencies->transfer.value_or(run.efficiencies->communication);
}

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

}  // namespace plimsoll::collectives
