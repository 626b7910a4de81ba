#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/runtime/work_timer.hpp>
#include <plimsoll/support/version.hpp>

#include "runtime/recording/edge_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Times by slot and column of WorkTimer. A column may be empty, or shorter than the number of slots.
template <class Time>
class SlotTimes {
 public:
  /// Adds time. Amortised O(1) if `slots`, the number of all slots, does not change.
  void add(std::uint32_t column, std::size_t slot, Time time, std::size_t slots) {
    if (columns_.size() <= column) columns_.resize(column + std::size_t{1});
    if (columns_[column].size() <= slot) columns_[column].resize(slots);
    columns_[column][slot] += time;
  }
  Time at(std::uint32_t column, std::size_t slot) const {
    return column < columns_.size() && slot < columns_[column].size() ? columns_[column][slot] : 0;
  }
  std::uint32_t column_count() const { return static_cast<std::uint32_t>(columns_.size()); }
  /// Returns the time of a slot, summed over all columns.
  Time of(std::size_t slot) const {
    Time sum = 0;
    for (std::uint32_t column = 0; column < column_count(); ++column) sum += at(column, slot);
    return sum;
  }
  /// Returns the time of all slots.
  Time total() const {
    Time sum = 0;
    for (const std::vector<Time>& column : columns_) sum = std::accumulate(column.begin(), column.end(), sum);
    return sum;
  }
  /// Discards the time of a slot in one column and returns it.
  Time take(std::uint32_t column, std::size_t slot) {
    return slot < columns_[column].size() ? std::exchange(columns_[column][slot], 0) : 0;
  }
  /// Discards the times of a slot in all columns.
  void clear_slot(std::size_t slot) {
    for (std::uint32_t column = 0; column < column_count(); ++column) take(column, slot);
  }
  void clear() { columns_.clear(); }
  /// Sets all times to zero. Keeps the memory of column 0, which add() need not allocate again.
  void reset() {
    columns_.resize(1);
    std::ranges::fill(columns_[0], Time{0});
  }

 private:
  std::vector<std::vector<Time>> columns_;
};

/// Times that the program added to objects, or other threads measured, in seconds.
using AddedTimes = SlotTimes<double>;

/// CPU time of one thread by slot and subphase, measured alongside a WorkTimer with the same slots and
/// columns. Before the timer's current slot or column changes, charge() adds the CPU time so far to them.
class CpuMeter {
 public:
  CpuMeter() : since_(Clock::cpu_nanoseconds()) {}

  void charge(std::uint32_t column, std::uint32_t slot) {
    const std::int64_t now = Clock::cpu_nanoseconds();
    times_.add(column, slot, now - since_, slot + std::size_t{1});
    since_ = now;
  }
  double seconds(std::uint32_t column, std::size_t slot) const { return in_seconds(times_.at(column, slot)); }
  double seconds(std::size_t slot) const { return in_seconds(times_.of(slot)); }
  double total_s() const { return in_seconds(times_.total()); }
  /// Discards the time of a slot and returns it.
  double clear_slot(std::size_t slot) {
    const double cleared = seconds(slot);
    times_.clear_slot(slot);
    return cleared;
  }
  /// Moves the time of a slot from the meter of another thread to this one.
  void take(CpuMeter& other, std::size_t slot) {
    for (std::uint32_t column = 0; column < other.times_.column_count(); ++column)
      if (const std::int64_t taken = other.times_.take(column, slot); taken != 0)
        times_.add(column, slot, taken, slot + 1);
  }
  /// Discards the time since the last charge().
  void start() { since_ = Clock::cpu_nanoseconds(); }
  /// Sets all times to zero.
  void clear() { times_.reset(); }

 private:
  static double in_seconds(std::int64_t nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds); }

  std::int64_t since_;
  SlotTimes<std::int64_t> times_;  // nanoseconds
};

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

/// Work that the threads other than the recorder's own have recorded in the current phase.
///
/// Each thread writes to its own ThreadWork only, and only the first call of a thread takes a lock. The
/// recorder's own thread reads and clears the table while no other thread is in a call. The program ensures
/// this, e.g. by joining its threads or with the barrier at the end of an OpenMP parallel region.
class ThreadTable {
 public:
  ThreadTable(Clock::Source source, bool with_cpu_time) : source_(source), with_cpu_time_(with_cpu_time) {}

  /// Returns the work of the calling thread. Takes a few nanoseconds, except for the first call of a thread
  /// and for a thread that uses several recorders in turn.
  ThreadWork& mine();
  /// Returns the work of all threads, ordered by thread number.
  std::span<const std::unique_ptr<ThreadWork>> all() const { return threads_; }

  /// Discards the times and messages of all threads, and everything about threads that recorded nothing in
  /// this phase, because they may have ended. Cost: O(threads x (slots x subphases + edges)).
  void end_phase();

 private:
  ThreadWork& find_or_add();
  static std::uint64_t new_number();

  Clock::Source source_;
  bool with_cpu_time_;
  // Number of this table and of its set of threads, unique in the process. A thread remembers its work
  // together with this number.
  std::uint64_t number_ = new_number();
  std::mutex mutex_;  // for adding threads
  int next_thread_ = 1;
  std::vector<std::unique_ptr<ThreadWork>> threads_;
};

}  // namespace plimsoll::runtime
