#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpose/sums/processor_time.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// The calls of one rank, in sums over its threads, in a form that other ranks understand.
struct RankCalls {
  struct Site {
    Function function;
    std::uint32_t module;  ///< number in `modules`
    std::uint64_t offset;  ///< return address in the module
    SiteSums sums;
    MeasuredWaits waits;
  };
  struct Messages {
    std::uint32_t peer;  ///< rank in MPI_COMM_WORLD
    Direction direction;
    MessageSums sums;
  };

  /// Values of the whole process. Empty values are unknown.
  struct Process {
    std::uint64_t wall_ns = 0;
    std::optional<std::uint32_t> threads;  ///< that called MPI
    ProcessorTime processors;
    std::optional<std::uint64_t> peak_memory_bytes;
  };

  std::string host;
  std::string cores;  ///< that the process may use, such as "0-3"; empty if unknown
  Process process;
  std::vector<std::string> modules;  ///< paths of the program and its libraries
  std::vector<Site> sites;
  std::vector<Messages> messages;
};

/// Returns the calls that the threads of this process have recorded. `wall_ns` is the recorded time, and
/// `processors` the use of the processors in it.
RankCalls calls_of_this_rank(std::uint64_t wall_ns, const ProcessorTime& processors, WaitTable waits);

}  // namespace plimsoll::interpose
