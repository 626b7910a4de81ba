#pragma once

#include <cstdint>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::RankCalls;

/// Returns the names of the recorded functions, by Function.
std::vector<std::string> names_of_functions();

/// Returns the calls that the threads of this process have recorded. `processors` is the use of the
/// processors in the recorded time.
RankCalls calls_of_this_rank(const RunParts& run, const collectives::ProcessorTime& processors, Waits waits);

}  // namespace plimsoll::interpose
