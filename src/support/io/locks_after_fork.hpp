#pragma once

#include <plimsoll/support/descriptor.hpp>

namespace plimsoll::inline v0_1::support {

/// Takes the lock of an open file (flock) from processes that this one forks from now on: they share it, and
/// would keep it when this process has been killed. There the descriptor is that of /dev/null.
void keep_lock_from_children(const Descriptor& file);

}  // namespace plimsoll::support
