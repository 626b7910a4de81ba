#include "runtime/manager/rank_monitor.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

/// A phase of 1000 s, of which objects worked 900 s as the clock of the rank sees it.
constexpr RankTimes long_phase{.total_s = 1000, .objects_s = 900, .idle_s = 100};
const std::vector<double> long_loads = {600, 300};

long forced_switches() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Lets another thread have the core of this one at least once.
void be_interrupted() {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> is_over = false;
  std::thread other([&] {  // inherits the core
    while (!is_over) sched_yield();
  });
  const long begin = forced_switches();
  while (forced_switches() == begin) sched_yield();
  is_over = true;
  other.join();
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

/// A monitor on a system that does not count how long threads wait for a core.
class WithoutCoreWaits : public ::testing::Test {
 protected:
  RankMeasurement measure() { return monitor.measure({}, long_phase, long_loads, {}, std::nullopt, nullptr); }

  Session session{MPI_COMM_WORLD, Settings()};
  RankMonitor monitor{session, CoreWaitClock("/dev/null")};
};

// All of the phase has passed off the core, because the test hardly works.
TEST_F(WithoutCoreWaits, CountTimeOffTheCoreIfTheSystemTookIt) {
  monitor.start_phase();
  be_interrupted();
  const RankMeasurement measured = measure();
  EXPECT_LT(measured.running_share, 0.5);
  EXPECT_GE(measured.running_share, 0);
  EXPECT_DOUBLE_EQ(measured.phase.load_s, 900 * measured.running_share);
  EXPECT_DOUBLE_EQ(measured.phase.heaviest_object_s, 600 * measured.running_share);
  EXPECT_EQ(monitor.time().core_wait_s, 0);
}

// The thread may have waited for a device, or slept.
TEST_F(WithoutCoreWaits, CountNoVoluntaryWaits) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const long begin = forced_switches();
    monitor.start_phase();
    const RankMeasurement measured = measure();
    if (forced_switches() != begin) continue;  // the machine is busy
    EXPECT_EQ(measured.running_share, 1);
    EXPECT_EQ(measured.phase.load_s, 900);
    return;
  }
  GTEST_SKIP() << "the system took the core from the test in each of 100 attempts";
}

TEST_F(WithoutCoreWaits, IgnoreSwitchesInPauses) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const long before = forced_switches();
    monitor.start_phase();
    monitor.pause();
    const long begin = forced_switches();
    be_interrupted();
    const long end = forced_switches();
    monitor.resume();
    const RankMeasurement measured = measure();
    if (begin != before || forced_switches() != end) continue;
    EXPECT_EQ(measured.running_share, 1);
    return;
  }
  GTEST_SKIP() << "the system took the core from the test in each of 100 attempts";
}

}  // namespace
}  // namespace plimsoll::runtime
