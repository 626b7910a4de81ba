#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

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

}  // namespace plimsoll::collectives
