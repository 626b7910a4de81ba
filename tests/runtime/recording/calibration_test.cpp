#include "runtime/recording/calibration.hpp"

#include <gtest/gtest.h>

namespace plimsoll::runtime {
namespace {

// A machine with a counter of 3 ticks a nanosecond, on which each reading takes 10 ns and readings can be
// interrupted.
class Machine {
 public:
  Moment read() {
    return read_both([this] { return 3 * advance(); }, [this] { return advance(); });
  }
  void wait(std::int64_t nanoseconds) { now_ += nanoseconds; }
  /// Each reading is followed by an interruption, but those of one attempt.
  void interrupt_all_but(int attempt) { undisturbed_ = attempt; }

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
};

TEST(Calibration, FindsTheRateOfTheCounter) {
  Machine machine;
  const Moment first = machine.read();
  machine.wait(10'000'000);
  const Moment last = machine.read();
  EXPECT_EQ(first.tick, 3 * first.nanoseconds);
  EXPECT_EQ(last.tick, 3 * last.nanoseconds);
  EXPECT_DOUBLE_EQ(seconds_per_tick(first, last), 1e-9 / 3);
}

TEST(Calibration, TakesTheAttemptThatWasNotInterrupted) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    Machine machine;
    machine.interrupt_all_but(attempt);
    const Moment moment = machine.read();
    EXPECT_EQ(moment.tick, 3 * moment.nanoseconds) << attempt;
  }
}

}  // namespace
}  // namespace plimsoll::runtime
