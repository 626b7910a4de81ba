#pragma once

#include <string>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the text of <coll>_backtrace: the frames of one call stack, and the calls made from there.
std::string backtrace_text(const Backtrace& trace);

/// Reads text in this format and adds its content to `lead`. Skips frames of the collective profiler itself,
/// and malformed contexts.
void read_backtrace(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

}  // namespace plimsoll::collectives
