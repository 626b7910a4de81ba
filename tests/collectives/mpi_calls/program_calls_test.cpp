#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/collectives/internal/program_calls.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::collectives {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t second = 1'000'000'000;

/// Returns the calls of a rank with one thread that works `before_send_s` before MPI_Send (site 0) and
/// `before_recv_s` before MPI_Recv (site 1), which takes the rest of 10 s.
RankCalls working(std::uint64_t before_send_s, std::uint64_t before_recv_s) {
  RankCalls calls;
  calls.process = {.wall_ns = 10 * second, .threads = 1, .processors = {}, .peak_memory_bytes = {}};
  calls.functions = {"MPI_Recv", "MPI_Send"};
  calls.modules = {"/bin/app"};
  RankCalls::Site send = {.function = 1, .module = 0, .offset = 0x10, .sums = {}, .waits = {}};
  send.sums.calls = 5;
  send.sums.outside_ns = before_send_s * second;
  send.previous = 1;
  send.after_previous_ns = send.sums.outside_ns;
  RankCalls::Site receive = {.function = 0, .module = 0, .offset = 0x20, .sums = {}, .waits = {}};
  receive.sums.calls = 5;
  receive.sums.time_ns = (10 - before_send_s - before_recv_s) * second;
  receive.sums.outside_ns = before_recv_s * second;
  receive.previous = 0;
  receive.after_previous_ns = receive.sums.outside_ns;
  calls.sites = {send, receive};
  return calls;
}

MpiCalls sum_of(const std::vector<RankCalls>& ranks) {
  ProgramCalls calls(static_cast<int>(ranks.size()));
  for (const RankCalls& rank : ranks) calls.add_rank(rank);
  return calls.sums();
}

TEST(ProgramCalls, TellTheWorkBeforeEachCallOnTheBusiestRank) {
  const MpiCalls calls = sum_of({working(2, 1), working(7, 1), working(3, 2)});
  ASSERT_EQ(calls.sites.size(), 2u);
  EXPECT_EQ(calls.functions[calls.sites[0].function].name, "MPI_Recv") << "7 + 2 + 5 s";
  EXPECT_EQ(calls.sites[0].work_before, (MpiCalls::WorkBefore{4, 1, 1}));
  EXPECT_EQ(calls.sites[1].work_before, (MpiCalls::WorkBefore{12, 7, 0}));
}

TEST(ProgramCalls, DividesTheWorkBeforeCallsByTheThreads) {
  RankCalls busy = working(6, 2);
  busy.process.threads = 2;
  const MpiCalls calls = sum_of({busy, working(1, 1)});
  EXPECT_DOUBLE_EQ(calls.sites[1].work_before->sum_s, 3 + 1);
  EXPECT_DOUBLE_EQ(calls.sites[1].work_before->busiest_s, 3) << "9 of 10 s outside MPI in each thread";
}

TEST(ProgramCalls, RejectMoreValuesThanFitInMemory) {
  ProgramCalls calls((1 << 27) + 1);
  EXPECT_ERROR(calls.add_rank(working(1, 1)), bad_input, "too many MPI calls to add up: ranks 134217729");
}

TEST(ProgramCalls, NameNoPreviousCallIfSeveralPrecede) {
  RankCalls calls = working(6, 2);
  calls.sites[0].after_previous_ns = 5 * second;
  EXPECT_FALSE(sum_of({calls}).sites[1].work_before->previous_site);
  calls.sites[0].previous = RankCalls::no_site;
  calls.sites[0].after_previous_ns = 6 * second;
  EXPECT_FALSE(sum_of({calls}).sites[1].work_before->previous_site) << "begin of the recording";
}

/// Returns a rank that sends 8 bytes twice, in windows of 2 ms or of 4 ms, and recorded 8 ms.
RankCalls sending_in_windows(bool has_long_windows) {
  constexpr std::uint64_t millisecond = 1U << 20;
  RankCalls calls = working(1, 1);
  calls.parts.recorded.add(0, 8 * millisecond, no_region);
  FunctionSums sums;
  sums.sizes.add(8, millisecond);
  sums.sizes.add(8, 2 * millisecond);
  sums.windows.add(0, millisecond);
  sums.windows.add(5 * millisecond, 7 * millisecond);
  calls.of_functions = {{.function = 1, .sums = sums}};
  while (has_long_windows && calls.parts.recorded.windows.length_ns() < 4 * millisecond)
    calls.parts.recorded.windows.double_length();
  return calls;
}

TEST(ProgramCalls, AddUpFunctionsBySizeAndWindow) {
  const MpiCalls calls = sum_of({sending_in_windows(false), sending_in_windows(true)});
  ASSERT_EQ(calls.functions[1].name, "MPI_Send");
  const MpiCalls::Function& send = calls.functions[1];
  ASSERT_EQ(send.sizes.size(), 1u);
  EXPECT_EQ(send.sizes[0].min_bytes, 1u);
  EXPECT_EQ(send.sizes[0].max_bytes, 16u);
  EXPECT_EQ(send.sizes[0].calls, 4u);
  constexpr double millisecond = 1.048576e-3;
  EXPECT_DOUBLE_EQ(send.sizes[0].time_s, 6 * millisecond);
  EXPECT_DOUBLE_EQ(calls.windows.length_s, 4 * millisecond);
  ASSERT_EQ(send.window_times_s.size(), 2u) << "the longest windows of all ranks";
  EXPECT_DOUBLE_EQ(send.window_times_s[0], 2 * millisecond);
  EXPECT_DOUBLE_EQ(send.window_times_s[1], 4 * millisecond);
  EXPECT_TRUE(calls.functions[0].sizes.empty()) << "unknown";
  EXPECT_TRUE(calls.functions[0].window_times_s.empty()) << "unknown";
}

/// Returns a rank that needs these times on the ideal network, in ms: in a region, and in two windows of 4
/// ms.
RankCalls needing(std::uint64_t region_ms, std::uint64_t first_ms, std::uint64_t second_ms) {
  constexpr std::uint64_t millisecond = 1U << 20;
  RankCalls calls = working(1, 1);
  calls.region_names = {"solve"};
  calls.parts.recorded.add(0, 8 * millisecond, no_region + 1);
  calls.parts.ideal_regions_ns.emplace()[no_region + 1] = region_ms * millisecond;
  TimeWindows& windows = calls.parts.ideal_windows.emplace();
  windows.spread(first_ms * millisecond, 0, 4 * millisecond);
  windows.spread(second_ms * millisecond, 4 * millisecond, 8 * millisecond);
  while (windows.length_ns() < 4 * millisecond) windows.double_length();
  return calls;
}

TEST(ProgramCalls, ContainTheIdealTimesOfParts) {
  constexpr double millisecond = 1.048576e-3;
  const MpiCalls calls = sum_of({needing(3, 1, 2), needing(5, 4, 1), {}});
  const auto are = [](double first, double second) {
    return ElementsAre(DoubleEq(first * millisecond), DoubleEq(second * millisecond), 0);
  };
  ASSERT_EQ(calls.regions.size(), 1u);
  EXPECT_THAT(calls.regions[0].times.ideal_s, are(3, 5));
  ASSERT_EQ(calls.windows.parts.size(), 2u);
  EXPECT_THAT(calls.windows.parts[0].ideal_s, are(1, 4));
  EXPECT_THAT(calls.windows.parts[1].ideal_s, are(2, 1));
}

TEST(ProgramCalls, LackIdealTimesThatARankDoesNotKnow) {
  RankCalls without_regions = needing(3, 1, 2);
  without_regions.parts.ideal_regions_ns.reset();
  const MpiCalls only_windows = sum_of({needing(3, 1, 2), without_regions});
  EXPECT_THAT(only_windows.regions[0].times.ideal_s, IsEmpty());
  EXPECT_THAT(only_windows.windows.parts[0].ideal_s, SizeIs(2));
  RankCalls without = without_regions;
  without.parts.ideal_windows.reset();
  EXPECT_THAT(sum_of({needing(3, 1, 2), without}).windows.parts[0].ideal_s, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::collectives
