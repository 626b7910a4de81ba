#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Keeps only the calls of an operation that the collective profiler records if it begins with call `first`
/// and stops after `limit` calls. On each lead, these are the first `limit` calls that it leads and whose id
/// is >= `first`, regardless of their communicator.
void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit);

}  // namespace plimsoll::collectives
