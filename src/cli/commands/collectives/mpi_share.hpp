#pragma once

#include <string>

#include <plimsoll/collectives/mpi_summary.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the share of the run that MPI takes, and the balance of the rest, in a few lines.
std::string mpi_share_text(const collectives::MpiSummary& summary, const Terminal& terminal);

/// Formats the tables of MPI functions and of ranks.
std::string mpi_share_tables(const collectives::MpiCalls& calls, const collectives::MpiSummary& summary);

/// Writes the MPI calls of a run as an object (docs/reference/json-output.md).
void write_mpi_share(support::JsonWriter& json, const collectives::MpiCalls& calls,
                     const collectives::MpiSummary& summary);

}  // namespace plimsoll::cli
