#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/collectives/recorded_run.hpp>
#include <plimsoll/collectives/summary.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the tables of a summary: inconsistent calls, operations, communicators, ranks, messages.
std::string summary_tables(const collectives::Summary& summary);

/// Formats the share of the run that MPI takes, and the balance of the rest, in a few lines.
std::string mpi_share_text(const collectives::MpiSummary& summary, const Terminal& terminal);

/// Formats the tables of MPI functions and of ranks.
std::string mpi_share_tables(const collectives::MpiCalls& calls, const collectives::MpiSummary& summary);

/// Returns at most three findings about a run whose profile is in `paths`. If the MPI calls of the whole
/// program were recorded, those about the run come first, and if MPI takes only a small share of it, they are
/// the only ones. Then follow those about collectives: about time, about bytes, and about the structure of
/// calls. Each one needs data that the profile contains, and concerns a relevant share of the run, as far as
/// it is known. If nothing does, the only finding says so. `summary` is that of the run's collectives.
std::vector<collectives::Finding> find_what_to_do(const collectives::RecordedRun& run,
                                                  const collectives::Summary& summary,
                                                  const std::vector<std::string>& paths);

/// Formats findings as the last lines of a summary; "" without findings.
std::string findings_text(const std::vector<collectives::Finding>& findings);

}  // namespace plimsoll::cli
