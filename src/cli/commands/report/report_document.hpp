#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/json_writer.hpp>

#include "cli/options/option_parser.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of `plimsoll report` for data sets.
struct DataSetSectionOptions {
  InputOptions reading;  ///< its paths are not used
  std::string phases;    ///< phases to show; empty: all
  /// Strategies to compare; empty: none.
  std::string strategies = "GreedyLB,RefineLB,GreedyRefineLB,CommAwareRefineLB";
  std::optional<std::int64_t> phase;  ///< phase to compare them for; default: the one that loses most time
  bool synchronised = false;          ///< whether the ranks synchronise after each subphase
  bool is_growing = false;            ///< whether programs may still be writing the data sets
};

/// Writes the section of a profile of collectives: the documents of `plimsoll collectives`, and its calls
/// over time. viewer/src/data/report.ts declares the sections.
void write_collectives_section(support::JsonWriter& json, const std::string& path, Terminal& terminal);
/// Adds INPUT..., --phases, --strategies, --phase, --subphases, --max-size and --threads.
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
