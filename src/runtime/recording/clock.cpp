#include <plimsoll/runtime/clock.hpp>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plimsoll::runtime {

namespace {

// A counter that runs at one rate through all power states (Intel SDM vol. 3, "Invariant TSC").
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

struct Moment {
  std::int64_t tick;
  std::int64_t nanoseconds;
};

#if defined(__x86_64__)
// Both clocks at one moment: of some tries the one in which they were read closest together.
Moment read_both() {
  Moment best{};
  std::int64_t smallest_gap = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const auto before = static_cast<std::int64_t>(__rdtsc());
    const std::int64_t nanoseconds = Clock::system_nanoseconds();
    const auto after = static_cast<std::int64_t>(__rdtsc());
    if (attempt > 0 && after - before >= smallest_gap) continue;
    smallest_gap = after - before;
    best = {before + smallest_gap / 2, nanoseconds};
  }
  return best;
}
#else
Moment read_both() {
  return {};
}
#endif

double rate(const Moment& first, const Moment& last) {
  return 1e-9 * static_cast<double>(last.nanoseconds - first.nanoseconds) /
         static_cast<double>(last.tick - first.tick);
}

struct Calibration {
  Moment first;
  double seconds_per_tick;
};

Calibration calibrate() {
  constexpr std::int64_t duration_nanoseconds = 10'000'000;
  const Moment first = read_both();
  Moment last = read_both();
  while (last.nanoseconds - first.nanoseconds < duration_nanoseconds) last = read_both();
  return {first, rate(first, last)};
}

}  // namespace

Clock::Clock(Source wanted) : source_(has_invariant_counter() ? wanted : Source::system) {
  if (source_ == Source::system) return;
  static const Calibration of_this_process = calibrate();
  first_tick_ = of_this_process.first.tick;
  first_nanoseconds_ = of_this_process.first.nanoseconds;
  seconds_per_tick_ = of_this_process.seconds_per_tick;
}

void Clock::recalibrate() {
  if (source_ == Source::system) return;
  const Moment first{first_tick_, first_nanoseconds_};
  const Moment last = read_both();
  seconds_per_tick_ = rate(first, last);
}

}  // namespace plimsoll::runtime
