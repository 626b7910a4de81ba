#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the number of bytes of memory that this process may still use without affecting others. This is
/// the machine's available memory, or the memory left within the limits of its control groups (versions 1 and
/// 2) if that is less. The result is 0 if nothing can be read. `proc` and `cgroups` are the mount points of
/// procfs and the control groups.
std::uint64_t available_memory(const std::string& proc = "/proc",
                               const std::string& cgroups = "/sys/fs/cgroup");

}  // namespace plimsoll::interpose
