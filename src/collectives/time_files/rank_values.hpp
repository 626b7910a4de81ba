#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Returns the text of <coll>_execution_times and <coll>_late_arrival_times. For each call it has a line "#
/// Call <id>", then the seconds of each rank of the communicator, one line per rank, and an empty line. Nine
/// decimals: nanoseconds.
std::string values_text(const RankValues& values);

/// Returns the text of <coll>_timestamps. Its format is the same, but with "<begin> <end>" per line: seconds
/// since MPI_Init. Without execution times, which may be null, the ends are missing.
std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s);

/// Returns the values of an operation on a communicator; null if there are none.
const RankValues* find_values(const std::vector<RankValues>& all, Operation operation,
                              std::uint32_t communicator);

/// Reads one of these texts and adds its values to `all`; only the begins of time stamps. A call that is
/// malformed, or lacks the value of a rank, is skipped. The number of ranks is known from `lead`, or is the
/// number in most calls.
void read_rank_values(const TimeFileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits);

}  // namespace plimsoll::collectives
