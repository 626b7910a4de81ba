#include <gtest/gtest.h>

#include <functional>
#include <random>

#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/spin.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using plimsoll::testing::spin;

double seconds(const WorkTimer& timer, WorkTimer::Slot slot, std::uint32_t column = 0) {
  return timer.clock().seconds(timer.ticks(column, slot));
}

double sum_s(const WorkTimer& timer) {
  double sum = 0;
  for (std::uint32_t column = 0; column < timer.column_count(); ++column) {
    for (WorkTimer::Slot slot = 0; slot < timer.size(); ++slot) sum += seconds(timer, slot, column);
  }
  return sum;
}

// Bounds on the time that `work` takes: readings of the system clock inside and around the timer's readings.
struct Elapsed {
  double minimum_s;
  double maximum_s;
};
Elapsed measure(WorkTimer& timer, const std::function<void()>& work) {
  const std::int64_t before = Clock::system_nanoseconds();
  timer.start();
  const std::int64_t begin = Clock::system_nanoseconds();
  work();
  const std::int64_t end = Clock::system_nanoseconds();
  timer.update();
  const std::int64_t after = Clock::system_nanoseconds();
  return {0.999e-9 * static_cast<double>(end - begin), 1.001e-9 * static_cast<double>(after - before)};
}

// A suspension outside a spin may add time to a slot, but never removes time.
constexpr double tolerance = 0.999;

TEST(WorkTimer, SumsToElapsedTimeOverAllSlots) {
  for (const auto source : {Clock::Source::timestamp_counter, Clock::Source::system}) {
    WorkTimer timer(source);
    timer.resize(20);
    std::mt19937 random(7);
    const Elapsed elapsed = measure(timer, [&] {
      for (int k = 0; k < 20'000; ++k) {
        if (timer.depth() > 0 && random() % 2 == 0) {
          timer.end();
        } else {
          timer.begin(2 + static_cast<WorkTimer::Slot>(random() % 18));
        }
        if (k % 100 == 0) timer.set_column(static_cast<std::uint32_t>(random() % 4));
      }
    });
    EXPECT_GE(sum_s(timer), elapsed.minimum_s);
    EXPECT_LE(sum_s(timer), elapsed.maximum_s);
  }
}

TEST(WorkTimer, ChargesTimeToInnermostSlot) {
  WorkTimer timer;
  timer.resize(4);
  double outer = 0;
  double inner = 0;
  double background = 0;
  const Elapsed elapsed = measure(timer, [&] {
    background += spin(0.004);
    timer.begin(2);
    outer += spin(0.003);
    timer.begin(3);
    inner += spin(0.005);
    timer.begin(3);
    inner += spin(0.002);
    timer.end();
    timer.end();
    EXPECT_EQ(timer.current(), 2U);
    outer += spin(0.003);
    timer.end();
    background += spin(0.001);
  });
  EXPECT_GE(seconds(timer, 2), tolerance * outer);
  EXPECT_GE(seconds(timer, 3), tolerance * inner);
  EXPECT_GE(seconds(timer, WorkTimer::background), tolerance * background);
  EXPECT_LE(sum_s(timer), elapsed.maximum_s);  // no time is counted twice
}

TEST(WorkTimer, ChargesTimeToCurrentColumn) {
  WorkTimer timer;
  timer.resize(3);
  double in_column_0 = 0;
  double in_column_5 = 0;
  const Elapsed elapsed = measure(timer, [&] {
    timer.begin(2);
    in_column_0 += spin(0.002);
    timer.set_column(5);
    in_column_5 += spin(0.003);
    timer.set_column(0);
    in_column_0 += spin(0.002);
    timer.end();
  });
  EXPECT_EQ(timer.column_count(), 6U);
  EXPECT_TRUE(timer.has_column(5));
  EXPECT_FALSE(timer.has_column(4));
  EXPECT_EQ(timer.ticks(4, 2), 0);
  EXPECT_GE(seconds(timer, 2, 0), tolerance * in_column_0);
  EXPECT_GE(seconds(timer, 2, 5), tolerance * in_column_5);
  EXPECT_LE(sum_s(timer), elapsed.maximum_s);
}

TEST(WorkTimer, AcceptsNewSlotsDuringWork) {
  WorkTimer timer;
  timer.resize(3);
  timer.set_column(2);
  timer.start();
  timer.begin(2);
  const double first = spin(0.002);
  timer.resize(10'000);
  timer.begin(9'999);
  const double second = spin(0.002);
  timer.end();
  timer.end();
  EXPECT_GE(seconds(timer, 2, 2), tolerance * first);
  EXPECT_GE(seconds(timer, 9'999, 2), tolerance * second);
}

TEST(WorkTimer, SupportsNestingOfAThousandSlots) {
  WorkTimer timer;
  timer.resize(1002);
  for (WorkTimer::Slot slot = 2; slot < 1002; ++slot) timer.begin(slot);
  EXPECT_EQ(timer.depth(), 1000U);
  for (WorkTimer::Slot slot = 1001; slot >= 2; --slot) {
    EXPECT_EQ(timer.current(), slot);
    timer.end();
  }
  EXPECT_EQ(timer.current(), WorkTimer::background);
}

TEST(WorkTimer, ReportsOpenWork) {
  WorkTimer timer;
  timer.resize(5);
  timer.begin(2);
  timer.begin(3);
  EXPECT_TRUE(timer.is_open(2));
  EXPECT_TRUE(timer.is_open(3));
  EXPECT_FALSE(timer.is_open(4));
  timer.end();
  EXPECT_TRUE(timer.is_open(2));
  EXPECT_FALSE(timer.is_open(3));
  timer.end();
  EXPECT_FALSE(timer.is_open(2));
}

TEST(WorkTimer, UnwindsAllSlotsAndChargesInnermostSlot) {
  WorkTimer timer;
  timer.resize(4);
  double inner = 0;
  const Elapsed elapsed = measure(timer, [&] {
    timer.begin(2);
    timer.begin(3);
    inner = spin(0.003);
    timer.unwind();
  });
  EXPECT_EQ(timer.depth(), 0U);
  EXPECT_EQ(timer.current(), WorkTimer::background);
  EXPECT_GE(seconds(timer, 3), tolerance * inner);
  EXPECT_LE(sum_s(timer), elapsed.maximum_s);
}

TEST(WorkTimer, ClearsAllSlotsAndColumns) {
  WorkTimer timer;
  timer.resize(3);
  timer.begin(2);
  timer.set_column(3);
  spin(0.001);
  timer.end();
  timer.set_column(0);
  timer.clear();
  EXPECT_EQ(timer.column_count(), 1U);
  EXPECT_EQ(sum_s(timer), 0);
  timer.start();
  timer.begin(2);
  const double again = spin(0.001);
  timer.end();
  EXPECT_GE(seconds(timer, 2), tolerance * again);
}

TEST(WorkTimer, ReturnsTicksOfAllColumnsWhenSlotIsCleared) {
  WorkTimer timer;
  timer.resize(4);
  timer.begin(2);
  spin(0.001);
  timer.set_column(2);
  spin(0.001);
  timer.begin(3);
  spin(0.001);
  timer.end();
  timer.end();
  const std::int64_t before = timer.ticks(0, 2) + timer.ticks(2, 2);
  const std::int64_t other = timer.ticks(2, 3);
  EXPECT_EQ(timer.clear_slot(2), before);
  EXPECT_EQ(timer.clear_slot(2), 0);
  EXPECT_EQ(timer.ticks(2, 3), other);
}

TEST(WorkTimer, ChargesNothingBeforeStart) {
  WorkTimer timer;
  timer.resize(3);
  spin(0.005);
  const Elapsed elapsed = measure(timer, [] {});
  EXPECT_LE(sum_s(timer), elapsed.maximum_s);
}

}  // namespace
}  // namespace plimsoll::runtime
