#pragma once

#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/json_text.hpp>

#include "collectives/files/counts_reader.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Writes a send-counters, recv-counters, send-displs or recv-displs file (format version 9), with one block
/// per signature. With legacy_text, writes the text of the collective profiler, including its errors.
/// The ranges of calls in that text begin at the first call selected for recording, and their length is the
/// number of calls. Equal rows of Alltoall are listed separately.
void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output);

}  // namespace plimsoll::collectives
