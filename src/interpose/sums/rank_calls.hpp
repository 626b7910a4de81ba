#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

  std::string host;
  std::uint64_t wall_ns = 0;
  std::vector<std::string> modules;  ///< paths of the program and its libraries
  std::vector<Site> sites;
  std::vector<Messages> messages;
};

/// Returns the calls that the threads of this process have recorded. `wall_ns` is the recorded time.
RankCalls calls_of_this_rank(std::uint64_t wall_ns, WaitTable waits);

}  // namespace plimsoll::interpose
