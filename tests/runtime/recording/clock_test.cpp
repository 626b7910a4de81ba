#include <gtest/gtest.h>

#include <plimsoll/runtime/clock.hpp>

#include "runtime/recording/spin.hpp"

namespace plimsoll::runtime {
namespace {

using plimsoll::testing::spin;

// Both readings of the clock are inside or around those of the system, so that being suspended between them
// only widens the bounds.
void expect_agrees_with_system(const Clock& clock, double tolerance) {
  const std::int64_t outer_begin = Clock::system_nanoseconds();
  const std::int64_t begin = clock.now();
  const std::int64_t inner_begin = Clock::system_nanoseconds();
  spin(0.03);
  const std::int64_t inner_end = Clock::system_nanoseconds();
  const std::int64_t end = clock.now();
  const std::int64_t outer_end = Clock::system_nanoseconds();
  const double measured_s = clock.seconds(end - begin);
  EXPECT_GE(measured_s, 1e-9 * static_cast<double>(inner_end - inner_begin) / tolerance);
  EXPECT_LE(measured_s, 1e-9 * static_cast<double>(outer_end - outer_begin) * tolerance);
}

// How exactly the counter is calibrated depends on what else the machine does: calibration_test.cpp looks at
// that with clocks of its own.
constexpr double within_factor_2 = 2;

TEST(Clock, both_sources_agree_with_the_system) {
  expect_agrees_with_system(Clock(Clock::Source::timestamp_counter), within_factor_2);
  expect_agrees_with_system(Clock(Clock::Source::system), 1 + 1e-12);
}

TEST(Clock, agrees_with_the_system_after_recalibration_too) {
  Clock clock;
  for (int k = 0; k < 3; ++k) {
    clock.recalibrate();
    expect_agrees_with_system(clock, within_factor_2);
  }
}

TEST(Clock, takes_the_system_if_the_counter_is_refused) {
  const Clock clock(Clock::Source::system);
  EXPECT_EQ(clock.source(), Clock::Source::system);
  EXPECT_DOUBLE_EQ(clock.seconds(1'500'000'000), 1.5);
  const std::int64_t before = Clock::system_nanoseconds();
  const std::int64_t now = clock.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, Clock::system_nanoseconds());
}

TEST(Clock, does_not_run_backwards) {
  const Clock clock;
  std::int64_t last = clock.now();
  for (int k = 0; k < 100'000; ++k) {
    const std::int64_t now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, cpu_time_of_a_thread_is_at_most_the_time_that_went_by) {
  const std::int64_t begin = Clock::system_nanoseconds();
  const std::int64_t cpu_begin = Clock::cpu_nanoseconds();
  spin(0.02);
  const std::int64_t cpu = Clock::cpu_nanoseconds() - cpu_begin;
  EXPECT_GT(cpu, 0);
  EXPECT_LE(cpu, Clock::system_nanoseconds() - begin);
}

}  // namespace
}  // namespace plimsoll::runtime
