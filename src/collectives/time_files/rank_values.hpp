#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the text of <coll>_execution_times and <coll>_late_arrival_times. Each call has the line "# Call
/// <id>", then one line with the seconds per rank of the communicator, and an empty line. Values have nine
/// decimals, i.e. nanoseconds.
std::string values_text(const RankValues& values);

/// Returns the text of <coll>_timestamps. Its format is that of values_text(), but with "<begin> <end>" per
/// line: seconds since MPI_Init. If the execution times are null, the end times are missing.
std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s);

/// Reads a text in one of these formats and adds its values to `all`. From timestamps, it adds only the begin
/// times. Skips calls that are malformed or lack values of some ranks. The number of ranks is taken from
/// `lead` or, if unknown there, is the most frequent number.
void read_rank_values(const TimeFileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits);

}  // namespace plimsoll::collectives
