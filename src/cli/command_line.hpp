#pragma once

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Runs the command line; returns the exit status. Throws Error, of kind usage if the command line is
/// invalid.
int run(int argc, const char* const* argv, Terminal& terminal);

}  // namespace plimsoll::cli
