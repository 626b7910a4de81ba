#pragma once

#include <cstdint>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Keeps, of the calls of an operation, those that the collective profiler records when it is told to begin
/// with call `first` and to stop after `limit`: on each lead the first so many of the calls that it leads
/// with ids from `first` on, whatever communicator they are on.
void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit);

}  // namespace plimsoll::collectives
