#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The text of <coll>_execution_times and <coll>_late_arrival_times: for each call a line "# Call <id>", then
/// the seconds of each rank of the communicator, a line each, and an empty line. Nine decimals: nanoseconds.
std::string values_text(const RankValues& values);

/// The text of <coll>_timestamps, the same with "<begin> <end>" in a line: seconds since MPI_Init. Without
/// execution times, which may be null, it has no ends.
std::string timestamps_text(const RankValues& begin_s, const RankValues* execution_s);

/// The values of an operation on a communicator; null if there are none.
const RankValues* find_values(const std::vector<RankValues>& all, Operation operation,
                              std::uint32_t communicator);

/// Reads one of these texts, of time stamps only the begins, and adds its values to `all`. A call that is
/// malformed, or of which not all ranks have a value, is left out. How many ranks there are is known of
/// `lead`, or is what most calls say.
void read_rank_values(const TimeFileName& name, TimeFileText& text, const Lead& lead,
                      std::vector<RankValues>& all, const ReadLimits& limits);

}  // namespace plimsoll::collectives
