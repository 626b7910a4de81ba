#pragma once

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

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

/// Returns the text of <coll>_content_hashes. Each call has the line "# Call <id>", then "<sent> <received>"
/// per line and rank of the communicator, and an empty line. A hash has 16 hexadecimal digits; "-" is a hash
/// that was not recorded.
std::string content_hashes_text(const RankHashes& hashes);

/// Reads text in this format and adds its hashes to `lead`, as read_call_blocks() does.
void read_content_hashes(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

/// Returns the communicator with this ID; adds it if missing. Communicators are sorted by ID.
Communicator& communicator_of(Lead& lead, std::uint32_t id);

/// Returns the IDs of the calls of one operation on a communicator; adds an empty list if missing. Lists are
/// sorted by operation.
NumberList& calls_of(Communicator& communicator, Operation operation);

/// Returns the text of <coll>_locations: the ranks of a communicator in MPI_COMM_WORLD, their processes and
/// hosts, and its calls of one operation.
std::string locations_text(const Communicator& communicator, const NumberList& calls);

/// Reads text in this format and adds its content to the communicator of `lead`. A malformed line does not
/// affect other lines, except that hosts and processes are ignored if the ranks are missing.
void read_locations(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

/// Returns the text of <coll>_comm_data: a lead's communicators that have times, hashes, locations or
/// backtraces of the operation. Empty without such communicators.
std::string communicator_data_text(const Lead& lead, Operation operation);

/// Reads text in this format and adds its communicators to `lead`.
void read_communicator_data(TimeFileText& text, Lead& lead);

/// Returns the text of <coll>_backtrace: the frames of one call stack, and the calls made from there.
std::string backtrace_text(const Backtrace& trace);

/// Reads text in this format and adds its content to `lead`. Skips frames of the collective profiler itself,
/// and malformed contexts.
void read_backtrace(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

inline constexpr std::string_view index_format = "plimsoll collectives";
inline constexpr std::uint64_t index_version = 1;

/// Returns the text of collectives.job<J>.json: the data of a job that no other file contains. Data of the
/// profile as a whole are included only if `with_profile` is true, so that they appear only once for several
/// jobs.
std::string index_text(const Profile& profile, std::uint64_t job, bool with_profile);

/// Reads text in this format. A part of the wrong type is skipped; its finding contains the JSON pointer.
void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits);

}  // namespace plimsoll::collectives
