#pragma once

#include <cstdint>

#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Reads a time-stamp counter and the system's clock at the same time. Returns the closest reads of several
/// attempts, because the process may be suspended between two reads.
template <class ReadCounter, class ReadSystem>
Moment read_both(const ReadCounter& read_counter, const ReadSystem& read_system) {
  Moment best;
  std::int64_t smallest_gap = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::int64_t before = read_counter();
    const std::int64_t nanoseconds = read_system();
    const std::int64_t after = read_counter();
    if (attempt > 0 && after - before >= smallest_gap) continue;
    smallest_gap = after - before;
    best = {before + smallest_gap / 2, nanoseconds, smallest_gap};
  }
  return best;
}

/// Returns the average seconds per tick of the counter between two moments.
inline double seconds_per_tick(const Moment& first, const Moment& last) {
  return 1e-9 * static_cast<double>(last.nanoseconds - first.nanoseconds) /
         static_cast<double>(last.tick - first.tick);
}

/// Returns a bound on the relative error of seconds_per_tick(). Both system-clock readings may have been
/// taken at any time between the two counter reads.
inline double relative_error(const Moment& first, const Moment& last) {
  return 0.5 * static_cast<double>(first.gap_ticks + last.gap_ticks) /
         static_cast<double>(last.tick - first.tick);
}

}  // namespace plimsoll::runtime
