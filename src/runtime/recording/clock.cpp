#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/calibration.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// Returns whether the counter runs at a constant rate in all power states (Intel SDM vol. 3, "Invariant
// TSC").
bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant_tsc = 1U << 8;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & invariant_tsc) != 0;
#else
  return false;
#endif
}

#if defined(__x86_64__)
Moment read_clocks() {
  return read_both([] { return static_cast<std::int64_t>(__rdtsc()); }, Clock::system_nanoseconds);
}
#else
Moment read_clocks() {
  return {};
}
#endif

struct Calibration {
  Moment first;
  double tick_s;
  double error;
};

Calibration calibrate() {
  constexpr std::int64_t duration_nanoseconds = 10'000'000;
  const Moment first = read_clocks();
  Moment last = read_clocks();
  while (last.nanoseconds - first.nanoseconds < duration_nanoseconds) last = read_clocks();
  return {first, seconds_per_tick(first, last), runtime::relative_error(first, last)};
}

}  // namespace

Clock::Clock(Source wanted) : source_(has_invariant_counter() ? wanted : Source::system) {
  if (source_ == Source::system) return;
  static const Calibration of_this_process = calibrate();
  first_tick_ = of_this_process.first.tick;
  first_nanoseconds_ = of_this_process.first.nanoseconds;
  first_gap_ticks_ = of_this_process.first.gap_ticks;
  seconds_per_tick_ = of_this_process.tick_s;
  relative_error_ = of_this_process.error;
}

void Clock::recalibrate() {
  if (source_ == Source::system) return;
  const Moment first{first_tick_, first_nanoseconds_, first_gap_ticks_};
  const Moment last = read_clocks();
  seconds_per_tick_ = seconds_per_tick(first, last);
  relative_error_ = runtime::relative_error(first, last);
}

}  // namespace plimsoll::runtime
