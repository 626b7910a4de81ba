#include <gtest/gtest.h>

#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/spin.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::spin;

/// The kernel may slew CLOCK_MONOTONIC by 500 ppm (adjtimex(2)). It may do so in one direction while the
/// counter is calibrated and in the other while an interval is measured.
constexpr double max_slew = 2 * 500e-6;

/// Measures an interval with both clocks. Each reading of `clock` lies between two readings of the system
/// clock. A suspension between them widens the bounds and cannot make the test fail.
void expect_agrees_with_system(const Clock& clock) {
  const double tolerance =
      clock.source() == Clock::Source::system ? 1e-12 : clock.relative_error() + max_slew;
  const std::int64_t outer_begin = Clock::system_nanoseconds();
  const std::int64_t begin = clock.now();
  const std::int64_t inner_begin = Clock::system_nanoseconds();
  spin(0.02);
  const std::int64_t inner_end = Clock::system_nanoseconds();
  const std::int64_t end = clock.now();
  const std::int64_t outer_end = Clock::system_nanoseconds();
  const double measured_s = clock.seconds(end - begin);
  EXPECT_GE(measured_s, 1e-9 * static_cast<double>(inner_end - inner_begin) * (1 - tolerance));
  EXPECT_LE(measured_s, 1e-9 * static_cast<double>(outer_end - outer_begin) * (1 + tolerance));
}

TEST(Clock, AgreesWithSystemClock) {
  expect_agrees_with_system(Clock(Clock::Source::timestamp_counter));
  expect_agrees_with_system(Clock(Clock::Source::system));
}

TEST(Clock, AgreesWithSystemClockAfterRecalibration) {
  Clock clock;
  for (int k = 0; k < 3; ++k) {
    clock.recalibrate();
    expect_agrees_with_system(clock);
  }
}

// Shows that the tests above are strict: their tolerance includes the relative error of the clock.
TEST(Clock, EstimatesRateWithinOnePercent) {
  Clock clock;
  EXPECT_LT(clock.relative_error(), 0.01);
  clock.recalibrate();
  EXPECT_LT(clock.relative_error(), 0.01);
  EXPECT_EQ(Clock(Clock::Source::system).relative_error(), 0);
}

TEST(Clock, UsesSystemClockOnRequest) {
  const Clock clock(Clock::Source::system);
  EXPECT_EQ(clock.source(), Clock::Source::system);
  EXPECT_DOUBLE_EQ(clock.seconds(1'500'000'000), 1.5);
  const std::int64_t before = Clock::system_nanoseconds();
  const std::int64_t now = clock.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, Clock::system_nanoseconds());
}

TEST(Clock, NeverRunsBackwards) {
  const Clock clock;
  std::int64_t last = clock.now();
  for (int k = 0; k < 100'000; ++k) {
    const std::int64_t now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, CountsAtMostElapsedTimeAsCpuTime) {
  const std::int64_t begin = Clock::system_nanoseconds();
  const std::int64_t cpu_begin = Clock::cpu_nanoseconds();
  spin(0.02);
  const std::int64_t cpu = Clock::cpu_nanoseconds() - cpu_begin;
  EXPECT_GT(cpu, 0);
  EXPECT_LE(cpu, Clock::system_nanoseconds() - begin);
}

}  // namespace
}  // namespace plimsoll::runtime
