#pragma once

#include <cstdint>

// Replaces the functions that allocate memory in this program, so that tests can let them fail.

namespace plimsoll::testing {

/// Lets allocation `number` (from 1) from now on fail, and with `and_later` all later ones too. 0: none
/// fails.
void fail_allocation(std::uint64_t number, bool and_later = false);
/// Returns the number of allocations since the last call of fail_allocation(), by all threads.
std::uint64_t allocations();

}  // namespace plimsoll::testing
