#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Makes glibc's malloc reuse freed blocks of up to 32 MiB instead of returning them to the operating system
/// (SystemOptions::keep_freed_memory). Does nothing if the environment has settings of glibc for this, or
/// with other C libraries.
void keep_freed_memory();

}  // namespace plimsoll::objects
