#pragma once

#include <span>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/call_groups.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Merges the hashes of the data that the ranks of a communicator sent and received. Contains the calls of
/// the lead for which any rank recorded a hash. `members` are all its ranks in order; `id` is its number on
/// the lead. O(hashes).
RankHashes merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id);

}  // namespace plimsoll::collectives
