#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/added_times.hpp"
#include "runtime/recording/cpu_meter.hpp"
#include "runtime/recording/edge_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Work that one thread has recorded in the current phase. Used for all threads except the recorder's own.
struct ThreadWork {
  ThreadWork(int thread_number, pid_t thread_id, Clock::Source source, bool with_cpu_time);

  /// Assigns subsequent time of this thread to a slot in a column, until the matching end().
  void begin(WorkTimer::Slot slot, std::size_t slots, std::uint32_t column) {
    used = true;
    if (slot >= timer.size()) [[unlikely]]
      timer.resize(slots);
    if (cpu) [[unlikely]]
      cpu->charge(timer.column(), timer.current());
    if (column != timer.column()) [[unlikely]]
      timer.set_column(column);
    timer.begin(slot);
  }
  /// Returns false and changes nothing unless this slot was begun last.
  bool end(WorkTimer::Slot slot) {
    if (timer.depth() == 0 || timer.current() != slot) [[unlikely]]
      return false;
    if (cpu) [[unlikely]]
      cpu->charge(timer.column(), timer.current());
    timer.end();
    return true;
  }
  /// Begins the next phase, in which the thread has recorded nothing yet.
  void clear();

  int number;        ///< position in the order of the threads' first calls, from 1
  pid_t system_id;   ///< Linux's number of the thread, as in debuggers and top
  bool used = true;  ///< whether the thread has recorded anything in this phase
  WorkTimer timer;
  std::unique_ptr<CpuMeter> cpu;  ///< null if CPU time is not measured
  EdgeTable edges;
  AddedTimes added;
  std::int64_t taken_ticks = 0;  ///< ticks of objects that PhaseLoads took from the timer
};

}  // namespace plimsoll::runtime
