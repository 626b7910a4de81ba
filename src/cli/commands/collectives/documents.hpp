#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/collectives/recorded_run.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

// What the subcommands of `plimsoll collectives` print with --json and without other options
// (docs/reference/json-output.md). `plimsoll report` shows the same documents.

std::string summary_document(const std::vector<std::string>& paths, Terminal& terminal);
std::string patterns_document(const std::vector<collectives::LeadPatterns>& patterns);
std::string calls_document(const std::vector<collectives::CallRun>& calls);
std::string matrix_document(const collectives::RecordedRun& run);
std::string sites_document(const collectives::MpiCalls& calls);

}  // namespace plimsoll::cli
