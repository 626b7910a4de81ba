#pragma once

#include <span>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the call stack, innermost frame first, without the leading frames of this library.
std::span<void* const> without_own(std::span<void* const> frames);

}  // namespace plimsoll::interpose
