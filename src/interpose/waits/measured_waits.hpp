#pragma once

#include <algorithm>
#include <cstdint>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/sum_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MeasuredWaits;

/// Waits by place or stack, and function.
using WaitTable = SumTable<MeasuredWaits>;

/// The place of a call, as in ThreadRecord::Sites, and its callers.
struct CallPlace {
  SumKey site;              ///< {}: its waiting does not count
  std::uint64_t stack = 0;  ///< CallersOfThread::add_call(); 0: unknown
};

/// A call whose waiting becomes known. Times are those of a clock that all ranks share.
struct MeasuredCall {
  CallPlace place;
  Region region = no_region;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// The waiting of a rank, by place, by callers and by part of the run.
struct Waits {
  WaitTable places;
  WaitTable stacks = WaitTable();
  PartTimes parts;

  /// Adds a call, which waited until the last awaited rank arrived.
  void add(const MeasuredCall& call, std::int64_t arrival_ns) {
    if (call.place.site == SumKey{}) return;
    const std::int64_t waited_until_ns = std::clamp(arrival_ns, call.begin_ns, call.end_ns);
    const MeasuredWaits waits = {.calls = 1,
                                 .time_ns = static_cast<std::uint64_t>(call.end_ns - call.begin_ns),
                                 .waited_ns = static_cast<std::uint64_t>(waited_until_ns - call.begin_ns)};
    places[call.place.site].add(waits);
    if (call.place.stack != 0) stacks[{call.place.stack, call.place.site.kind}].add(waits);
    parts.add(since_run_began(call.begin_ns), since_run_began(waited_until_ns), call.region);
  }
};

}  // namespace plimsoll::interpose
