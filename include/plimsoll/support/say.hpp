#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include <plimsoll/support/printable.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Writes "plimsoll: <text>" as one line to stderr for the user of a measured or profiled program. Failures
/// to write to stderr are ignored. Only code that runs inside users' programs should call it: other libraries
/// report to their callers.
inline void say(std::string_view text) {
  std::fputs(fmt::format("plimsoll: {}\n", printable_lines(text)).c_str(), stderr);
}

}  // namespace plimsoll::support
