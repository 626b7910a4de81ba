#pragma once

#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/text_buffer.hpp>

#include "collectives/files/counts_reader.hpp"

namespace plimsoll::inline v0_1::collectives {

/// Writes a send-counters, recv-counters, send-displs or recv-displs file (format version 9), a block for
/// each signature. With legacy_text as the original does, also where that is wrong: its ranges of calls begin
/// at the first that was to be recorded and are as long as there are calls, and equal rows of Alltoall stand
/// apart.
void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output);

}  // namespace plimsoll::collectives
