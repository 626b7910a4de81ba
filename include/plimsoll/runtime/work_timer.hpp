#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Simultaneous readings of the time-stamp counter and the system's clock.
struct Moment {
  std::int64_t tick = 0;
  std::int64_t nanoseconds = 0;
  /// Ticks between two reads of the counter, before and after the read of the system's clock.
  std::int64_t gap_ticks = 0;
};

/// Wall-clock time in ticks. The ticks come from the processor's time-stamp counter if it runs at a constant
/// rate on all cores, otherwise from clock_gettime(CLOCK_MONOTONIC), in nanoseconds. The counter is
/// calibrated against clock_gettime(), first over 10 ms. Each recalibrate() uses the whole time since that
/// calibration.
class Clock {
 public:
  /// Clock that provides the ticks: the processor's time-stamp counter or clock_gettime().
  enum class Source { timestamp_counter, system };

  /// Uses the counter if `wanted` selects it and it runs at a constant rate. The first calibration in a
  /// process takes 10 ms.
  explicit Clock(Source wanted = Source::timestamp_counter);

  std::int64_t now() const {
#if defined(__x86_64__)
    if (source_ == Source::timestamp_counter) return static_cast<std::int64_t>(__rdtsc());
#endif
    return system_nanoseconds();
  }

  double seconds(std::int64_t ticks) const {
    return static_cast<double>(ticks) * seconds_per_tick_;
  }
  /// Returns a bound on the relative error of seconds(). It depends on how close together the counter and the
  /// system's clock were read during calibration; 0 for the system's clock.
  double relative_error() const {
    return relative_error_;
  }
  Source source() const {
    return source_;
  }

  /// Measures the counter's rate again, over the time since the clock was constructed. Takes only two clock
  /// reads.
  void recalibrate();

  static std::int64_t system_nanoseconds() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }
  /// Returns the CPU time of the calling thread. This takes one system call: hundreds of nanoseconds.
  static std::int64_t cpu_nanoseconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  }

 private:
  Source source_;
  double seconds_per_tick_ = 1e-9;
  double relative_error_ = 0;
  Moment first_;  // of the first calibration
};

/// Assigns the wall-clock time of one thread to numbered slots: time counts for the slot that was begun last.
/// Time outside of all slots is assigned to the slot `background`, so that the sum over all slots is the
/// elapsed time. Times are kept separately by subphase: column 0 for time outside of all subphases, column s
/// + 1 for subphase s.
class WorkTimer {
 public:
  /// Number of a slot, from 0.
  using Slot = std::uint32_t;
  static constexpr Slot background = 0;

  explicit WorkTimer(Clock::Source source = Clock::Source::timestamp_counter);

  /// Assigns subsequent time to `slot`, until the matching end(). Takes one clock read, and allocates memory
  /// only if calls are nested more deeply than ever before.
  void begin(Slot slot) {
    const std::int64_t now = clock_.now();
    charge(now);
    if (depth_ == stack_.size()) grow_stack();
    stack_[depth_++] = current_;
    current_ = slot;
  }
  /// Assigns subsequent time to the slot that was current before the matching begin(). Requires an open
  /// begin().
  void end() {
    PLIMSOLL_EXPECT(depth_ > 0);
    charge(clock_.now());
    current_ = stack_[--depth_];
  }

  Slot current() const { return current_; }
  std::size_t depth() const { return depth_; }
  /// Returns whether the slot is current, or will be current again after some open begin() calls end. Cost:
  /// O(depth).
  bool is_open(Slot slot) const;
  /// Returns the slots of the open begin() calls, outermost first.
  std::vector<Slot> open() const;
  std::size_t size() const { return slots_; }

  /// Makes room for slots 0 to count - 1. Cost: amortised O(columns).
  void resize(std::size_t count);

  /// Assigns subsequent time to column 0 or to the column of a subphase.
  void set_column(std::uint32_t column);
  std::uint32_t column() const { return column_number_; }
  /// Returns the number of columns; some may never have been current.
  std::uint32_t column_count() const { return static_cast<std::uint32_t>(columns_.size()); }

  /// Adds the time until now to the current slot. Afterwards ticks() is up to date.
  void update() { charge(clock_.now()); }
  std::int64_t ticks(std::uint32_t column, Slot slot) const {
    return columns_[column].empty() ? 0 : columns_[column][slot];
  }
  /// Returns whether a column exists. set_column() creates it, and clear() may remove it.
  bool has_column(std::uint32_t column) const { return !columns_[column].empty(); }
  /// Discards the ticks of a slot in one column and returns their number, which is 0 for an unknown slot.
  std::int64_t take(std::uint32_t column, Slot slot);
  /// Discards the ticks of a slot in all columns and returns their number.
  std::int64_t clear_slot(Slot slot);

  /// Discards the time since the last clock read.
  void start() { since_ = clock_.now(); }
  /// Sets all times to zero and removes the columns beyond the current one. Cost: O(size x columns).
  void clear();
  /// Ends all open begin() calls.
  void unwind();

  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }

 private:
  void charge(std::int64_t now) {
    column_[current_] += now - since_;
    since_ = now;
  }
  void grow_stack();

  Clock clock_;
  std::int64_t* column_ = nullptr;  // points into columns_[column_number_]
  std::int64_t since_ = 0;
  Slot current_ = background;
  std::size_t depth_ = 0;
  std::vector<Slot> stack_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::uint32_t column_number_ = 0;
  std::size_t slots_ = 1;
};

}  // namespace plimsoll::runtime
