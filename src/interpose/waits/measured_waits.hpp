#pragma once

#include <algorithm>
#include <cstdint>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/parts/run_parts.hpp"
#include "interpose/sums/sum_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::MeasuredWaits;

/// Waits by place and function, as in ThreadRecord::Sites.
using WaitTable = SumTable<MeasuredWaits>;

/// A call whose waiting becomes known. Times are those of a clock that all ranks share.
struct MeasuredCall {
  WaitTable::Key place;  ///< {}: its waiting does not count
  Region region = no_region;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

/// The waiting of a rank, by place and by part of the run.
struct Waits {
  WaitTable places;
  PartTimes parts;

  /// Adds a call, which waited until the last awaited rank arrived.
  void add(const MeasuredCall& call, std::int64_t arrival_ns) {
    if (call.place == WaitTable::Key{}) return;
    const std::int64_t waited_until_ns = std::clamp(arrival_ns, call.begin_ns, call.end_ns);
    places[call.place].add({.calls = 1,
                            .time_ns = static_cast<std::uint64_t>(call.end_ns - call.begin_ns),
                            .waited_ns = static_cast<std::uint64_t>(waited_until_ns - call.begin_ns)});
    parts.add(since_run_began(call.begin_ns), since_run_began(waited_until_ns), call.region);
  }
};

}  // namespace plimsoll::interpose
