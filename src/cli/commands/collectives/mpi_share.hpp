#pragma once

#include <string>

#include <plimsoll/collectives/mpi_summary.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the share of the run that MPI takes, and the balance of the rest, in a few lines.
std::string mpi_share_text(const collectives::MpiSummary& summary, const Terminal& terminal);

/// Formats the tables of MPI functions and of ranks.
std::string mpi_share_tables(const collectives::MpiCalls& calls, const collectives::MpiSummary& summary);

}  // namespace plimsoll::cli
