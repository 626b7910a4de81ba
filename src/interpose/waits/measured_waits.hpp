#pragma once

#include <cstdint>

#include "interpose/sums/sum_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

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
};

/// Waits by place and function, as in ThreadRecord::Sites.
using WaitTable = SumTable<MeasuredWaits>;

}  // namespace plimsoll::interpose
