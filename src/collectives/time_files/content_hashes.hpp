#pragma once

#include <string>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_file_name.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the text of <coll>_content_hashes. Each call has the line "# Call <id>", then "<sent> <received>"
/// per line and rank of the communicator, and an empty line. A hash has 16 hexadecimal digits; "-" is a hash
/// that was not recorded.
std::string content_hashes_text(const RankHashes& hashes);

/// Reads text in this format and adds its hashes to `lead`, as read_call_blocks() does.
void read_content_hashes(const TimeFileName& name, TimeFileText& text, Lead& lead, const ReadLimits& limits);

}  // namespace plimsoll::collectives
