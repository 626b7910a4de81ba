#pragma once

#include <span>

namespace plimsoll::inline v0_1::alltoallv {

/// A call stack, innermost frame first, without the frames of this library that begin it.
std::span<void* const> without_own(std::span<void* const> frames);

}  // namespace plimsoll::alltoallv
