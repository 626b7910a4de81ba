#pragma once

#include "cli/terminal.hpp"

namespace plimsoll::cli {

/// Does what the command line says; returns the exit status. Throws Error, of kind usage if the command line
/// is not understood.
int run(int argc, const char* const* argv, Terminal& terminal);

}  // namespace plimsoll::cli
