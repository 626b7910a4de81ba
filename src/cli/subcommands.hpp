#pragma once

#include <span>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

struct Subcommand {
  const char* name;
  const char* help;
  Command (*define)(OptionParser&);
};

/// Adds subcommands to a command and requires one of them. The returned function runs the chosen subcommand
/// after the options are parsed.
Command define_subcommands(OptionParser& parser, std::span<const Subcommand> subcommands);

}  // namespace plimsoll::cli
