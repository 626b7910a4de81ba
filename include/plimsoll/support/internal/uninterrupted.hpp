#pragma once

#include <cerrno>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Makes a system call again as long as signals interrupt it. Returns its result, which is negative if it
/// fails for another reason, as errno indicates.
template <class Call>
auto uninterrupted(const Call& call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace plimsoll::support
