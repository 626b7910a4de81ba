#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

namespace plimsoll::alltoallv {

/// A line for the user, on stderr.
inline void say(std::string_view text) {
  std::fputs(fmt::format("plimsoll: {}\n", text).c_str(), stderr);
}

}  // namespace plimsoll::alltoallv
