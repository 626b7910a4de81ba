#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/diagnostic.hpp>

#include "cli/commands/layout/solve_options.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::cli {

/// The problem of timing files, or of a JSON file, with the block sizes of the command line. What is odd
/// about the data goes to `warnings`. Throws Error: usage for a block size of a component that is not in the
/// data.
pelayout::Problem read_problem(const SolveOptions& options, const CLI::App& app,
                               std::vector<Diagnostic>& warnings, const Terminal& terminal);

/// Shows warnings about the data: all with --verbose, else the first.
void show_data_warnings(std::span<const Diagnostic> warnings, const SolveOptions& options,
                        const Terminal& terminal);

}  // namespace plimsoll::cli
