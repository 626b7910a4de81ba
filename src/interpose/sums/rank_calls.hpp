#pragma once

#include <string>
#include <string_view>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/thread_record.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::RankCalls;

/// Returns the calls that the threads of this process have recorded. `processors` is the use of the
/// processors in the recorded time.
RankCalls calls_of_this_rank(const RunParts& run, const collectives::ProcessorTime& processors, Waits waits);

/// Packs the calls of a rank for another one, which has the same library. No bytes stand for no calls.
std::string packed(const RankCalls& calls);
RankCalls unpacked_calls(std::string_view bytes);

}  // namespace plimsoll::interpose
