#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/function_sums.hpp>
#include <plimsoll/collectives/internal/part_times.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Sums over the calls of a function from one place in the code.
struct SiteSums {
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t longest_call_ns = 0;
  /// Time outside MPI before the calls, since the previous call of the same thread.
  std::uint64_t outside_ns = 0;

  /// Adds the calls of another thread, or of another address of the same place.
  void add(const SiteSums& other) {
    calls += other.calls;
    failed_calls += other.failed_calls;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    time_ns += other.time_ns;
    longest_call_ns = std::max(longest_call_ns, other.longest_call_ns);
    outside_ns += other.outside_ns;
  }
  friend bool operator==(const SiteSums&, const SiteSums&) = default;
};

/// Key of sums, such as a return address and a function.
struct SumKey {
  std::uint64_t place = 0;
  std::uint32_t kind = 0;
  friend bool operator==(const SumKey&, const SumKey&) = default;
};

/// The place of the calls after which a thread spends most of the time before its calls from another place:
/// the candidate of a majority vote in which times vote (R. S. Boyer, J. S. Moore: MJRTY, 1991).
struct PreviousCalls {
  SumKey place;                ///< {}: begin of the recording
  std::uint64_t after_ns = 0;  ///< time after calls from there, from when it became the candidate
  std::uint64_t votes_ns = 0;

  void add(const SumKey& previous, std::uint64_t time_ns) {
    if (previous == place) {
      after_ns += time_ns;
      votes_ns += time_ns;
    } else if (time_ns <= votes_ns) {
      votes_ns -= time_ns;
    } else {
      *this = {previous, time_ns, time_ns - votes_ns};
    }
  }
  /// Adds the calls of another thread.
  void add(const PreviousCalls& other) { add(other.place, other.after_ns); }
  friend bool operator==(const PreviousCalls&, const PreviousCalls&) = default;
};

/// Sums over the calls of a function from one place, and the place of the calls before them.
struct SiteRecord {
  SiteSums sums;
  PreviousCalls previous;

  /// Adds the calls of another thread.
  void add(const SiteRecord& other) {
    sums.add(other.sums);
    previous.add(other.previous);
  }
  friend bool operator==(const SiteRecord&, const SiteRecord&) = default;
};

/// The times of a rank in calls from one place of which the waiting is known.
struct MeasuredWaits {
  std::uint64_t calls = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t waited_ns = 0;  ///< part of time_ns before the last awaited rank had arrived

  void add(const MeasuredWaits& other) {
    calls += other.calls;
    time_ns += other.time_ns;
    waited_ns += other.waited_ns;
  }
  /// Whether these are all of so many calls that may have waited, except those that failed.
  bool are_all_of(std::uint64_t all_calls, std::uint64_t failed_calls) const {
    return calls > 0 && calls + failed_calls >= all_calls;
  }
  friend bool operator==(const MeasuredWaits&, const MeasuredWaits&) = default;
};

/// Sums over the messages between a rank and a peer, in one direction.
struct MessageSums {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(const MessageSums& other) {
    messages += other.messages;
    bytes += other.bytes;
  }
  friend bool operator==(const MessageSums&, const MessageSums&) = default;
};

/// Use of the processors by all threads of a process. Empty values are unknown.
struct ProcessorTime {
  std::optional<double> user_s;
  std::optional<double> system_s;
  std::optional<std::uint64_t> voluntary_switches;
  std::optional<std::uint64_t> involuntary_switches;
  std::optional<double> core_wait_s;  ///< of the thread that called MPI_Init
  // In user mode.
  std::optional<std::uint64_t> instructions = {};
  std::optional<std::uint64_t> cycles = {};
};

/// Sums over the calls of a function from one stack.
struct CallerSums {
  std::uint64_t calls = 0;
  std::uint64_t failed_calls = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t time_ns = 0;
  MeasuredWaits waits;

  void add(const CallerSums& other) {
    calls += other.calls;
    failed_calls += other.failed_calls;
    sent_bytes += other.sent_bytes;
    received_bytes += other.received_bytes;
    time_ns += other.time_ns;
    waits.add(other.waits);
  }
};

/// Largest number of functions above a call that can be recorded.
inline constexpr std::size_t max_callers = 15;

/// Calls of a function from one stack, in a form that other processes understand.
struct CallsOfStack {
  /// An address in a module.
  struct Address {
    std::uint32_t module = 0;  ///< number in RankCalls::modules
    std::uint64_t offset = 0;  ///< return address in the module
  };
  std::uint32_t function = 0;                      ///< number in RankCalls::functions
  std::uint32_t depth = 0;                         ///< used addresses
  std::array<Address, 1 + max_callers> addresses;  ///< from the call outwards
  CallerSums sums;
};

/// The calls of one rank, in sums over its threads, in a form that other processes understand.
struct RankCalls {
  /// Calls of a function from one place.
  struct Site {
    std::uint32_t function;  ///< number in `functions`
    std::uint32_t module;    ///< number in `modules`
    std::uint64_t offset;    ///< return address in the module
    SiteSums sums;
    MeasuredWaits waits;
    /// Number in `sites` of the place after whose calls most of `sums.outside_ns` was spent; `no_site` if it
    /// was after the begin of the recording.
    std::uint32_t previous = no_site;
    std::uint64_t after_previous_ns = 0;  ///< time outside MPI after these calls, at least
  };
  static constexpr std::uint32_t no_site = 0xffff'ffff;
  /// All calls of a function.
  struct OfFunction {
    std::uint32_t function;  ///< number in `functions`
    FunctionSums sums;
  };
  /// Messages to or from one peer.
  struct Messages {
    std::uint32_t peer;  ///< rank in MPI_COMM_WORLD
    bool sent;           ///< whether they go to the peer; else they come from it
    MessageSums sums;
  };

  /// Values of the whole process. Empty values are unknown.
  struct Process {
    std::uint64_t wall_ns = 0;
    std::optional<std::uint32_t> threads;  ///< that called MPI
    ProcessorTime processors;
    std::optional<std::uint64_t> peak_memory_bytes;
  };

  /// Times by part of the run.
  struct Parts {
    PartTimes recorded;
    PartTimes mpi;     ///< in MPI functions
    PartTimes waited;  ///< part of `mpi`, as far as it was measured
    // What the parts would take on a network of zero cost; empty if unknown.
    std::optional<TimeWindows> ideal_windows;
    std::optional<RegionTimes> ideal_regions_ns;
  };

  std::string host;
  std::string cores;  ///< that the process may use, such as "0-3"; empty if unknown
  Process process;
  std::vector<std::string> functions;  ///< C names of the recorded functions
  std::vector<std::string> modules;    ///< paths of the program and its libraries
  std::vector<Site> sites;
  std::vector<OfFunction> of_functions;
  std::vector<Messages> messages;
  Parts parts;
  std::vector<std::string> region_names;  ///< of the regions 1, 2, ...
  std::vector<CallsOfStack> callers;
};

inline double seconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e9;  // has fewer digits than 1e-9 * ns
}

}  // namespace plimsoll::collectives
