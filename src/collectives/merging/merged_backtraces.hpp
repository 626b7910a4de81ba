#pragma once

#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/parsed_log.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// IDs of communicators, which the leads assign, keyed by the communicators in the leads' logs.
using CommunicatorIds = std::unordered_map<const LogCommunicator*, std::uint32_t>;

/// Returns the call stacks from which a lead called collectives on the communicators that it leads. `ids`
/// contains these communicators.
std::vector<Backtrace> merge_backtraces(const RankLog& lead, const CommunicatorIds& ids, FrameNames& names);

}  // namespace plimsoll::collectives
