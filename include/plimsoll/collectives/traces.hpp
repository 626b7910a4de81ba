#pragma once

#include <functional>

#include <plimsoll/collectives/recorded_run.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Passes the recorded times of all collective calls to a sink, as a JSON array in the Trace Event Format
/// that Perfetto and chrome://tracing show. Each rank is a process (pid), and each call of a rank a complete
/// event (ph X) with begin (ts) and duration (dur) in microseconds. Calls that overlap are on different
/// threads (tid) of the rank, because events of one thread must be nested. Returns the number of complete
/// events. Throws Error (bad_input) if the profile does not contain times.
///
/// Source: "Trace Event Format", Google,
/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
std::uint64_t write_chrome_trace(const RecordedRun& run, const std::function<void(std::string_view)>& sink);

/// Writes the recorded times of all collective calls as a trace in the Open Trace Format 2:
/// FOLDER/traces.otf2 and the files that it refers to. The directory gets its name when the trace is
/// complete. If `overwrite`, an existing trace is replaced. Returns the number of calls, counted once per
/// rank.
///
/// Each rank is a location; calls that overlap, from several threads, are on further locations of the rank.
/// Each operation is a region. Times are in ns since MPI_Init, or since the first call if that began earlier.
/// A blocking collective on all ranks also has the records MpiCollectiveBegin and MpiCollectiveEnd, with the
/// bytes that the rank sent and received; 0 if the counts are unknown. Each communicator is a group.
///
/// Memory: O(calls x ranks). Throws Error: bad_input if the profile does not contain times; usage if
/// `folder` exists and may not be replaced, or is not a trace, or if this build of Plimsoll lacks the
/// OTF2 library; system if writing fails.
///
/// Source: Open Trace Format 2, https://www.vi-hps.org/projects/score-p
std::uint64_t write_otf2_trace(const RecordedRun& run, const std::string& folder, bool overwrite = false);

}  // namespace plimsoll::collectives
