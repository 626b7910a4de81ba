#pragma once

#include <span>
#include <string>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Formats the phases of an LBStatsfile for people: phases, and all statistics of the phase that loses the
/// most time. `phases` must not be empty.
std::string statistics_text(std::span<const lbdata::StatisticsRecord> phases, const Terminal& terminal);
/// Formats the phases of an LBStatsfile as one JSON object in one line.
std::string statistics_json(std::span<const lbdata::StatisticsRecord> phases);

/// Writes the members of an object with statistics. `unit` is the end of their names: "s" or "bytes".
void write_statistics(support::JsonWriter& json, const lbdata::RecordedStatistics& statistics,
                      const std::string& unit);

/// Returns whether the statistics with this name, such as "Rank_comm", are in bytes; others are in seconds.
inline bool is_in_bytes(const std::string& name) {
  return name.ends_with("_comm");
}

}  // namespace plimsoll::cli
