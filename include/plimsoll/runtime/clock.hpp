#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>

#include <plimsoll/support/version.hpp>
#endif

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
  std::int64_t first_tick_ = 0;  // counter value at the first calibration
  std::int64_t first_nanoseconds_ = 0;
  std::int64_t first_gap_ticks_ = 0;
};

}  // namespace plimsoll::runtime
