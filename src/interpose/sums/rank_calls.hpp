#pragma once

#include <cstdint>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::RankCalls;

/// Returns the names of the recorded functions, by Function.
std::vector<std::string> names_of_functions();

/// Returns the calls that the threads of this process have recorded. `wall_ns` is the recorded time, and
/// `processors` the use of the processors in it.
RankCalls calls_of_this_rank(std::uint64_t wall_ns, const collectives::ProcessorTime& processors,
                             WaitTable waits);

}  // namespace plimsoll::interpose
