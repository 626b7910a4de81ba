#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string_view>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// Tells the program's user something; on rank 0 only.
inline void say(const Settings& settings, std::string_view message) {
  if (settings.sink) {
    settings.sink(message);
  } else {
    fmt::print(stderr, "plimsoll: {}\n", message);
  }
}

}  // namespace plimsoll::runtime
