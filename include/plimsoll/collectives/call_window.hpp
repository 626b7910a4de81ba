#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Keeps only the calls of an operation that the collective profiler would record if it began with call
/// `first` and stopped after `limit` calls. For each lead, these are the first `limit` calls that the rank
/// leads and whose id is >= `first`, regardless of their communicator.
void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit);

}  // namespace plimsoll::collectives
