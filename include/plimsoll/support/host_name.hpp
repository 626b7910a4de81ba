#pragma once

#include <unistd.h>

#include <array>
#include <string>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Returns the name of this host; empty if the system does not provide it.
inline std::string host_name() {
  std::array<char, 256> name{};  // gethostname() may omit the final null character of a long name
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace plimsoll::support
