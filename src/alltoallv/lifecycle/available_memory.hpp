#pragma once

#include <cstdint>
#include <string>

namespace plimsoll::inline v0_1::alltoallv {

/// Bytes of memory that this process may still take without harm to others: what the machine has available,
/// or what the limits of its control groups (versions 1 and 2) leave, if that is less. 0 if nothing can be
/// read. `proc` and `cgroups` are where the system shows both.
std::uint64_t available_memory(const std::string& proc = "/proc",
                               const std::string& cgroups = "/sys/fs/cgroup");

}  // namespace plimsoll::alltoallv
