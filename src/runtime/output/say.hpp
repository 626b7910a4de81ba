#pragma once

#include <string_view>

#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/say.hpp>

namespace plimsoll::runtime {

/// Tells the program's user something; on rank 0 only. A stderr that cannot be written to is no error; the
/// program's sink may throw.
inline void say(const Settings& settings, std::string_view message) {
  if (settings.sink)
    settings.sink(message);
  else
    support::say(message);
}

}  // namespace plimsoll::runtime
