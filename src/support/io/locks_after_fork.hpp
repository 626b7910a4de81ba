#pragma once

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Keeps processes that this one forks later from inheriting the lock of an open file (flock). They would
/// share the lock and keep it after this process was killed. In the children, the descriptor refers to
/// /dev/null.
void keep_lock_from_children(const Descriptor& file);

}  // namespace plimsoll::support
