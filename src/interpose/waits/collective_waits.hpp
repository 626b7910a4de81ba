#pragma once

#include <mpi.h>

#include <cstdint>

#include "interpose/lifecycle/recording.hpp"
#include "interpose/lifecycle/run.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/waits/measured_waits.hpp"

/// The waiting of this process in blocking collectives, on all communicators within one group.
namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Begins to compare arrivals. A time of this process plus `clock_offset_ns` is that of a clock that all
/// processes share. The waits are in `file` unless it is null. The run must communicate.
void begin_collective_waits(const Run& run, std::int64_t clock_offset_ns, collectives::SumsFile* file);

/// Adds a call of a blocking collective, which has returned `code`. Times are those of this process. Call it
/// even during pauses, because the other ranks may not pause; `place` is {} then.
void add_collective(const rules::Collective& call, rules::Dependence dependence, int code,
                    const CallPlace& place, const CallTime& time);

/// Ends all comparisons when MPI ends, and returns the waits that are known.
Waits end_collective_waits();

}  // namespace plimsoll::interpose
