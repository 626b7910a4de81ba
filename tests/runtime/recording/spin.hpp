#pragma once

#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::testing {

/// Works for `seconds` of wall time or slightly more; returns the time measured with clock_gettime.
inline double spin(double seconds) {
  const std::int64_t begin = runtime::Clock::system_nanoseconds();
  const auto nanoseconds = static_cast<std::int64_t>(1e9 * seconds);
  std::int64_t now = begin;
  while (now - begin < nanoseconds) now = runtime::Clock::system_nanoseconds();
  return 1e-9 * static_cast<double>(now - begin);
}

}  // namespace plimsoll::testing
