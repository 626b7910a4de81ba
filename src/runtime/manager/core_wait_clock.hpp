#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Time for which the thread that created this clock was ready to run, but other threads had the cores. Linux
/// counts it in /proc (Documentation/scheduler/sched-stats.rst). Sleeping and blocking waits do not count.
class CoreWaitClock {
 public:
  /// Clock of the thread in which this is called; tests pass another file.
  explicit CoreWaitClock(const char* file = "/proc/thread-self/schedstat");
  /// Returns nothing if the system does not count this time. Cost: one system call.
  std::optional<std::int64_t> nanoseconds() const;

 private:
  support::Descriptor file_;
};

}  // namespace plimsoll::runtime
