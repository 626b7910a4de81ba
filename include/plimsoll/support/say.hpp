#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include <plimsoll/support/printable.hpp>

namespace plimsoll::inline v0_1::support {

/// Writes a line for the user of a program that is measured or profiled to stderr, "plimsoll: <text>". A
/// stderr that cannot be written to is not an error. Only what runs inside users' programs has reason to call
/// it: other libraries report to their callers.
inline void say(std::string_view text) {
  std::fputs(fmt::format("plimsoll: {}\n", printable_lines(text)).c_str(), stderr);
}

}  // namespace plimsoll::support
