#pragma once

#include <span>

namespace plimsoll::inline v0_1::alltoallv {

/// Returns the call stack, innermost frame first, without the leading frames of this library.
std::span<void* const> without_own(std::span<void* const> frames);

}  // namespace plimsoll::alltoallv
