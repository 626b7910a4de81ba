#include <gtest/gtest.h>

#include <cmath>

#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/calibration.hpp"
#include "runtime/recording/spin.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

// Simulated machine whose counter advances by 3 ticks per nanosecond. Each reading takes 10 ns and can be
// interrupted.
class Machine {
 public:
  Moment read() {
    return read_both([this] { return 3 * advance(); },
                     [this] {
                       const std::int64_t read = advance();
                       if (interrupts_system_clock_) now_ += 5'000'000;
                       return read;
                     });
  }
  void wait(std::int64_t nanoseconds) { now_ += nanoseconds; }
  /// Interrupts after each reading, except in one attempt.
  void interrupt_all_but(int attempt) { undisturbed_ = attempt; }
  /// Interrupts after each reading of the system clock.
  void interrupt_after_system_clock() { interrupts_system_clock_ = true; }

 private:
  std::int64_t advance() {
    now_ += 10;
    const std::int64_t read = now_;
    const bool in_undisturbed_attempt = reading_ / 3 == undisturbed_;
    ++reading_;
    if (undisturbed_ >= 0 && !in_undisturbed_attempt) now_ += 5'000'000;
    return read;
  }

  std::int64_t now_ = 1'000'000;
  int reading_ = 0;
  int undisturbed_ = -1;
  bool interrupts_system_clock_ = false;
};

TEST(Calibration, FindsRateOfCounter) {
  Machine machine;
  const Moment first = machine.read();
  machine.wait(10'000'000);
  const Moment last = machine.read();
  EXPECT_EQ(first.tick, 3 * first.nanoseconds);
  EXPECT_EQ(last.tick, 3 * last.nanoseconds);
  EXPECT_DOUBLE_EQ(seconds_per_tick(first, last), 1e-9 / 3);
}

TEST(Calibration, ComputesUpperBoundOfError) {
  Machine undisturbed;
  const Moment first = undisturbed.read();
  undisturbed.wait(1'000'000);
  const Moment last = undisturbed.read();
  EXPECT_EQ(first.gap_ticks, 3 * 20);
  EXPECT_DOUBLE_EQ(relative_error(first, last), 60.0 / static_cast<double>(last.tick - first.tick));

  Machine disturbed;
  const Moment exact = disturbed.read();
  disturbed.wait(100'000'000);
  disturbed.interrupt_after_system_clock();
  const Moment inexact = disturbed.read();
  const double error = std::abs(seconds_per_tick(exact, inexact) * 3e9 - 1);
  EXPECT_GT(error, 0.01);
  EXPECT_LE(error, relative_error(exact, inexact));
}

TEST(Calibration, UsesUninterruptedAttempt) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Machine machine;
    machine.interrupt_all_but(attempt);
    const Moment moment = machine.read();
    EXPECT_EQ(moment.tick, 3 * moment.nanoseconds) << attempt;
  }
}

}  // namespace

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
