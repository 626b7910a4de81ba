#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/sums/processor_counters.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::ProcessorTime;

/// Sums up the use of the processors over intervals.
class ProcessorClock {
 public:
  /// Begins an interval, which must have ended. If this or end() is called by another thread than the first
  /// begin(), core_wait_s is unknown.
  void begin();
  void end();
  ProcessorTime sum() const;

 private:
  mutable std::mutex mutex_;  // threads may pause and resume recording
  ProcessorTime begin_;
  ProcessorTime sum_ = {0, 0, 0, 0, 0, 0, 0};
  std::thread::id thread_;  // of the first begin()
  ProcessorCounters counters_;
};

/// Returns the cores that some thread of this process may use, such as "0-3, 8"; empty if unknown.
std::string allowed_cores();

/// Returns the largest resident memory of this process so far; nothing if unknown.
std::optional<std::uint64_t> peak_memory_bytes();

}  // namespace plimsoll::interpose
