#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <plimsoll/support/json_writer.hpp>

#include "cli/options/input_options.hpp"
#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Options of `plimsoll report` for data sets.
struct DataSetSectionOptions {
  InputOptions reading;  ///< its paths are not used
  std::string phases;    ///< phases to show; empty: all
  /// Strategies to compare; empty: none.
  std::string strategies = "GreedyLB,RefineLB,GreedyRefineLB,CommAwareRefineLB";
  std::optional<std::int64_t> phase;  ///< phase to compare them for; default: the one that loses most time
  bool is_growing = false;            ///< whether programs may still be writing the data sets
};

// Each function writes the section of one input as an object. viewer/src/data/report.ts declares the
// sections.

/// Writes an LB data set: its `info` document, its columns, and a comparison of strategies.
void write_data_set_section(support::JsonWriter& json, const std::string& path,
                            const DataSetSectionOptions& options, Terminal& terminal);
/// Writes a profile of collectives: the documents of `plimsoll collectives`, and its calls over time.
void write_collectives_section(support::JsonWriter& json, const std::string& path, Terminal& terminal);
/// Writes an LBStatsfile: its `info` document.
void write_statistics_section(support::JsonWriter& json, const std::string& path,
                              const support::SizeLimits& limits);
/// Writes the output of `plimsoll layout solve --json` in a file. Throws Error (bad_input) if the file
/// contains something else.
void write_layout_section(support::JsonWriter& json, const std::string& path,
                          const support::SizeLimits& limits);

}  // namespace plimsoll::cli
