#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <plimsoll/collectives/internal/time_windows.hpp>

namespace plimsoll::collectives {
namespace {

using Interval = std::pair<std::uint64_t, std::uint64_t>;

/// Returns the sums by brute force: the part of each interval in each window.
TimeWindows::Times expected(const std::vector<Interval>& intervals, std::uint64_t length_ns) {
  TimeWindows::Times times_ns = {};
  for (const auto& [begin_ns, end_ns] : intervals)
    for (std::uint64_t window = 0; window < times_ns.size(); ++window) {
      const std::uint64_t from_ns = std::max(begin_ns, window * length_ns);
      const std::uint64_t to_ns = std::min(end_ns, (window + 1) * length_ns);
      if (from_ns < to_ns) times_ns[window] += to_ns - from_ns;
    }
  return times_ns;
}

/// Intervals that follow each other with gaps, as calls and pauses do, until about `run_ns`.
std::vector<Interval> intervals_until(std::uint64_t run_ns, std::uint64_t longest_ns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> length_ns(0, longest_ns);
  std::vector<Interval> intervals;
  for (std::uint64_t now_ns = 0; now_ns < run_ns;) {
    const std::uint64_t begin_ns = now_ns + length_ns(random);
    intervals.emplace_back(begin_ns, begin_ns + length_ns(random));
    now_ns = intervals.back().second;
  }
  return intervals;
}

constexpr std::uint64_t first_length_ns = std::uint64_t{1} << 20;

TEST(TimeWindows, DivideIntervalsAsBruteForceDoes) {
  for (const std::uint64_t run_ns : {first_length_ns / 2, 64 * first_length_ns, 1000 * first_length_ns})
    for (const std::uint64_t longest_ns : {run_ns / 500, run_ns / 20, run_ns}) {
      const std::vector<Interval> intervals = intervals_until(run_ns, longest_ns, 5);
      TimeWindows windows;
      for (const auto& [begin_ns, end_ns] : intervals) windows.add(begin_ns, end_ns);
      EXPECT_EQ(windows.times_ns(), expected(intervals, windows.length_ns())) << run_ns << ' ' << longest_ns;
    }
}

TEST(TimeWindows, SpreadATimeEvenly) {
  TimeWindows windows;
  windows.spread(700, first_length_ns / 2, 4 * first_length_ns);
  windows.spread(50, 2 * first_length_ns, 2 * first_length_ns);
  EXPECT_EQ(windows.times_ns()[0], 100u);
  EXPECT_EQ(windows.times_ns()[1], 200u);
  EXPECT_EQ(windows.times_ns()[2], 250u);
  EXPECT_EQ(windows.times_ns()[3], 200u);
  EXPECT_EQ(windows.times_ns()[4], 0u);
}

TEST(TimeWindows, SpreadATimeWithoutLosingAny) {
  std::mt19937_64 random(3);
  TimeWindows windows;
  std::uint64_t sum_ns = 0;
  for (std::uint64_t begin_ns = 0; begin_ns < 1000 * first_length_ns;) {
    const std::uint64_t time_ns = random() % (3 * first_length_ns);
    const std::uint64_t end_ns = begin_ns + random() % (50 * first_length_ns);
    windows.spread(time_ns, begin_ns, end_ns);
    sum_ns += time_ns;
    begin_ns = end_ns;
  }
  const auto& times_ns = windows.times_ns();
  EXPECT_EQ(std::accumulate(times_ns.begin(), times_ns.end(), std::uint64_t{0}), sum_ns);
  EXPECT_GE(windows.length_ns(), 16 * first_length_ns);
}

TEST(TimeWindows, HaveTheShortestLengthThatFits) {
  TimeWindows windows;
  windows.add(0, 64 * first_length_ns);
  EXPECT_EQ(windows.length_ns(), first_length_ns);
  windows.add(64 * first_length_ns - 1, 64 * first_length_ns);
  EXPECT_EQ(windows.length_ns(), first_length_ns);
  windows.add(64 * first_length_ns, 64 * first_length_ns);
  EXPECT_EQ(windows.length_ns(), first_length_ns) << "an empty interval needs no room";
  windows.add(64 * first_length_ns, 64 * first_length_ns + 1);
  EXPECT_EQ(windows.length_ns(), 2 * first_length_ns);
  windows.add(10'000 * first_length_ns, 10'000 * first_length_ns + 1);
  EXPECT_EQ(windows.length_ns(), 256 * first_length_ns);
}

TEST(TimeWindows, AddUpToTheSameInAnyOrder) {
  const std::vector<Interval> early = intervals_until(20 * first_length_ns, first_length_ns, 1);
  const std::vector<Interval> late = intervals_until(3000 * first_length_ns, 50 * first_length_ns, 2);
  TimeWindows of_early;
  TimeWindows of_late;
  for (const auto& [begin_ns, end_ns] : early) of_early.add(begin_ns, end_ns);
  for (const auto& [begin_ns, end_ns] : late) of_late.add(begin_ns, end_ns);
  ASSERT_NE(of_early.length_ns(), of_late.length_ns());
  std::vector<Interval> all = early;
  all.insert(all.end(), late.begin(), late.end());
  TimeWindows sum = of_early;
  sum.add(of_late);
  EXPECT_EQ(sum.times_ns(), expected(all, sum.length_ns()));
  of_late.add(of_early);
  EXPECT_EQ(of_late.times_ns(), sum.times_ns());
}

}  // namespace
}  // namespace plimsoll::collectives
