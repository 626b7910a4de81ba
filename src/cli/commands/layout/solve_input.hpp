#pragma once

#include <span>
#include <vector>

#include <plimsoll/pelayout/study.hpp>
#include <plimsoll/support/error.hpp>

#include "cli/commands/layout/solve_options.hpp"
#include "cli/options/option_parser.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Converts the options to a request. Problems of the data are appended to `warnings`. Throws the same Errors
/// as pelayout::load_problem().
pelayout::StudyRequest study_request(const SolveOptions& options, const OptionParser& parser,
                                     std::vector<Diagnostic>& warnings, const Terminal& terminal);

/// Shows warnings about the data: all with --verbose, otherwise only the first few.
void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal);

}  // namespace plimsoll::cli
