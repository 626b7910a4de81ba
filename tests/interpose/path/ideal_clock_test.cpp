#include "interpose/path/ideal_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace plimsoll::interpose {
namespace {

using ::testing::ElementsAre;

constexpr Region solve = 1;
constexpr Region write = 2;
constexpr std::int64_t window = std::int64_t{1} << 20;  // length of a window in ns
constexpr std::int64_t run_begin = 1000 * window;

/// A clock that starts with the run.
IdealClock started_clock() {
  IdealClock clock;
  clock.start(run_begin, run_begin);
  return clock;
}

/// A call from window `begin` to `end` after the begin of the run that joins a clock. The rank waits until
/// window `awaited`.
struct Call {
  double begin;
  double end;
  std::int64_t joined_ns = 0;
  double awaited = 0;
  Region region = solve;
};

std::int64_t at(double windows) {
  return run_begin + static_cast<std::int64_t>(windows * static_cast<double>(window));
}

void make(const Call& call, IdealClock& clock) {
  clock.begin_call(at(call.begin), call.region);
  clock.join(call.joined_ns);
  clock.end_call(at(call.end), at(call.awaited), call.region);
}

/// Returns the advance of a clock in the first windows, in quarters of the length of a window.
std::vector<std::uint64_t> quarters(const IdealClock& clock, std::size_t n_windows) {
  std::vector<std::uint64_t> result;
  for (std::size_t k = 0; k < n_windows; ++k)
    result.push_back(clock.parts().windows.times_ns()[k] / (window / 4));
  return result;
}

TEST(IdealClock, RunsOutsideMpiAndStandsStillDuringTransfers) {
  IdealClock clock = started_clock();
  make({.begin = 1, .end = 3.5}, clock);
  clock.run_until(at(4), solve);
  EXPECT_EQ(clock.time_ns(), window * 3 / 2);
  EXPECT_THAT(quarters(clock, 5), ElementsAre(4, 0, 0, 2, 0));
}

// The rank waits from window 1 to 3 for a rank whose clock is 1.5 windows ahead, and receives until 4.
TEST(IdealClock, AdvancesWhileTheRankWaits) {
  IdealClock clock = started_clock();
  make({.begin = 1, .end = 4, .joined_ns = 5 * window / 2, .awaited = 3}, clock);
  EXPECT_EQ(clock.time_ns(), 5 * window / 2);
  EXPECT_THAT(quarters(clock, 5), ElementsAre(4, 3, 3, 0, 0));
}

// The rank did not wait, as the transfers to the other one took as long as the work that it joins.
TEST(IdealClock, AdvancesAsFastAsTheRealClockBeyondTheWaiting) {
  IdealClock clock = started_clock();
  make({.begin = 1, .end = 4, .joined_ns = 3 * window, .awaited = 1}, clock);
  EXPECT_THAT(quarters(clock, 5), ElementsAre(4, 4, 4, 0, 0));
}

// Two windows of time join during a call of a quarter.
TEST(IdealClock, AdvancesFasterThanTheRealClockInShortCalls) {
  IdealClock clock = started_clock();
  make({.begin = 1, .end = 1.25, .joined_ns = 3 * window, .awaited = 1.25}, clock);
  EXPECT_THAT(quarters(clock, 3), ElementsAre(4, 8, 0));
}

TEST(IdealClock, IgnoresClocksThatAreBehind) {
  IdealClock clock = started_clock();
  make({.begin = 2, .end = 4, .joined_ns = window, .awaited = 3}, clock);
  EXPECT_EQ(clock.time_ns(), 2 * window);
  EXPECT_THAT(quarters(clock, 4), ElementsAre(4, 4, 0, 0));
}

// Windows double their length when the run outgrows them: their sums stay.
TEST(IdealClock, KeepsItsTimeInALongRun) {
  IdealClock clock = started_clock();
  make({.begin = 1, .end = 4, .joined_ns = 5 * window / 2, .awaited = 3}, clock);
  make({.begin = 100, .end = 1000, .joined_ns = 500 * window, .awaited = 900}, clock);
  const auto& times_ns = clock.parts().windows.times_ns();
  EXPECT_EQ(clock.parts().windows.length_ns(), 16 * window);
  EXPECT_EQ(std::accumulate(times_ns.begin(), times_ns.end(), std::uint64_t{0}), 500 * window);
  EXPECT_EQ(times_ns[0], std::uint64_t{16 * window - 3 * window / 2});
}

// Regions end between calls. The time in calls belongs to the region around them.
TEST(IdealClock, DividesItsTimeAmongRegions) {
  IdealClock clock = started_clock();
  clock.run_until(at(1), no_region);
  make({.begin = 3, .end = 5, .joined_ns = 4 * window, .awaited = 5, .region = solve}, clock);
  clock.run_until(at(5.5), solve);
  clock.run_until(at(7), write);
  clock.run_until(at(8), solve);
  EXPECT_THAT(std::vector(clock.parts().regions_ns.begin(), clock.parts().regions_ns.begin() + 3),
              ElementsAre(window, window * 9 / 2, window * 3 / 2));
  EXPECT_EQ(clock.time_ns(), 7 * window);
}

// The clock of the other rank was ahead before the pause: no part contains this.
TEST(IdealClock, AdvancesInNoPartDuringPauses) {
  IdealClock clock = started_clock();
  clock.pause(true, at(1), solve);
  make({.begin = 2, .end = 3, .joined_ns = 2 * window, .awaited = 3}, clock);
  EXPECT_EQ(clock.time_ns(), 2 * window);
  clock.pause(false, at(4), solve);
  clock.run_until(at(4.5), solve);
  EXPECT_EQ(clock.time_ns(), window * 5 / 2);
  EXPECT_THAT(quarters(clock, 5), ElementsAre(4, 0, 0, 0, 2));
  EXPECT_EQ(clock.parts().total_ns(), std::uint64_t{window * 3 / 2});
}

}  // namespace
}  // namespace plimsoll::interpose
