#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::inline v0_1::cli {

/// Does what the command line says; returns the exit status. Throws Error, of kind usage if the command line
/// is not understood.
int run(int argc, const char* const* argv, Terminal& terminal);

/// What is wrong with a word of the command line that a subcommand has no use for. Those that take words
/// which no option names (CLI::App::allow_extras) throw it themselves.
Error unknown_argument(const CLI::App& app, const std::string& word);

}  // namespace plimsoll::cli
