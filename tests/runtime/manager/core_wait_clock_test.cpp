#include "runtime/manager/core_wait_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

TEST(CoreWaitClock, DoesNotCountSleep) {
  const CoreWaitClock clock;
  const auto before = clock.nanoseconds();
  if (!before) GTEST_SKIP() << "the system does not count how long threads wait for a core";
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const auto after = clock.nanoseconds();
  ASSERT_TRUE(after);
  EXPECT_GE(*after, *before);
  EXPECT_LT(*after - *before, 100'000'000);  // waking up takes less, also on a busy machine
}

// Another thread reads the file of the thread that created the clock.
TEST(CoreWaitClock, BelongsToItsThread) {
  const CoreWaitClock clock;
  const auto own = clock.nanoseconds();
  if (!own) GTEST_SKIP() << "the system does not count how long threads wait for a core";
  std::int64_t seen = -1;
  std::thread([&] { seen = clock.nanoseconds().value_or(-1); }).join();
  EXPECT_GE(seen, *own);
}

TEST(CoreWaitClock, KnowsNothingWithoutTheFile) {
  EXPECT_FALSE(CoreWaitClock("/proc/missing/schedstat").nanoseconds());
  EXPECT_FALSE(CoreWaitClock("/dev/null").nanoseconds());
}

}  // namespace
}  // namespace plimsoll::runtime
