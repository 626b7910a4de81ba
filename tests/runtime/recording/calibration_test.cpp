#include "runtime/recording/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
}  // namespace plimsoll::runtime
