#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <plimsoll/support/files.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Returns the numbers of the threads of this process. Those that begin or end meanwhile may be missing.
std::vector<pid_t> threads_of_process();

/// Counts instructions and cycles of this process in user mode, if the kernel lets it
/// (/proc/sys/kernel/perf_event_paranoid up to 2) and the processor has counters, which virtual machines
/// often lack.
class ProcessorCounters {
 public:
  enum class Event { instructions, cycles };
  /// Opens a counter of a thread, and of the threads that it starts later. Returns a descriptor; < 0 if the
  /// kernel refuses. Reads from it return the count, the time for which the counter exists, and the part of
  /// this time in which it counted, each with 8 bytes.
  using Open = int (*)(Event event, pid_t thread);

  /// Begins to count, in all threads of this process.
  void open(Open open_one = &open_counter);

  /// Counts until now; empty if unknown.
  struct Counts {
    std::optional<std::uint64_t> instructions;
    std::optional<std::uint64_t> cycles;
  };
  /// Returns the counts. If counters count in turn because there are too few of them, they are estimates.
  Counts read() const;

 private:
  using Counters = std::vector<support::Descriptor>;

  static int open_counter(Event event, pid_t thread);

  Counters instructions_;  ///< by thread; empty, as the other one, if unknown
  Counters cycles_;
};

}  // namespace plimsoll::interpose
