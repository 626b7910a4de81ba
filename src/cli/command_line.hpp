#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Runs the command line; returns the exit status. Throws Error, of kind usage if the command line is
/// invalid.
int run(int argc, const char* const* argv, Terminal& terminal);

/// Returns the error for a word of the command line that a subcommand does not accept. Subcommands that allow
/// words without an option (CLI::App::allow_extras) throw it themselves.
Error unknown_argument(const CLI::App& app, const std::string& word);

}  // namespace plimsoll::cli
