#pragma once

#include <string>
#include <vector>

#include "cli/commands/report/sections.hpp"
#include "cli/options/option_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Adds INPUT..., --phases, --strategies, --phase, --max-size and --threads.
void add_report_options(OptionParser& parser, DataSetSectionOptions& options);

/// Replaces "all" by the names of all strategies, and "none" by an empty list.
void resolve_strategies(DataSetSectionOptions& options);

/// Returns the command line "plimsoll SUBCOMMAND INPUT... OPTION..." with the options that were changed.
std::vector<std::string> command_line(const std::string& subcommand, const DataSetSectionOptions& options);

/// Returns the document that the viewer shows: a section per input. `command` is the command line that the
/// page states.
std::string report_document(const DataSetSectionOptions& options, const std::vector<std::string>& command,
                            Terminal& terminal);

}  // namespace plimsoll::cli
