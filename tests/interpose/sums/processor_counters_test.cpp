// Tests counters of the kernel by descriptors that return the same values.
#include "interpose/sums/processor_counters.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace plimsoll::interpose {
namespace {

using Event = ProcessorCounters::Event;

/// Returns a descriptor of a counter that exists for 100 ns.
int counter(std::uint64_t count, std::uint64_t counted_ns) {
  const int file = memfd_create("counter", MFD_CLOEXEC);
  const std::array<std::uint64_t, 3> values = {count, 100, counted_ns};
  EXPECT_EQ(::write(file, values.data(), sizeof values), ssize_t{sizeof values});
  ::lseek(file, 0, SEEK_SET);
  return file;
}

TEST(ProcessorCounters, CountInAllThreads) {
  ProcessorCounters counters;
  counters.open([](Event event, pid_t) { return counter(event == Event::cycles ? 10 : 25, 100); });
  const auto [instructions, cycles] = counters.read();
  ASSERT_TRUE(instructions && cycles);
  EXPECT_EQ(*instructions % 25, 0u) << "of one thread or several";
  EXPECT_EQ(*cycles, *instructions / 25 * 10);
}

TEST(ProcessorCounters, AreEstimatedIfTheyCountInTurn) {
  ProcessorCounters counters;
  counters.open([](Event, pid_t thread) { return counter(thread == getpid() ? 30 : 0, 25); });
  EXPECT_EQ(counters.read().cycles, 120u);
}

TEST(ProcessorCounters, AreUnknownIfTheKernelRefusesThem) {
  ProcessorCounters counters;
  EXPECT_FALSE(counters.read().cycles) << "not opened";
  counters.open([](Event event, pid_t) {
    errno = EACCES;
    return event == Event::cycles ? -1 : counter(25, 100);
  });
  EXPECT_FALSE(counters.read().instructions || counters.read().cycles);
  counters.open([](Event, pid_t) { return counter(25, 0); });
  EXPECT_FALSE(counters.read().instructions) << "no counter was free";
}

// Those of this machine may be refused.
TEST(ProcessorCounters, OfThisProcessGrowIfTheKernelGivesThem) {
  ProcessorCounters counters;
  counters.open();
  const auto before = counters.read();
  volatile int sum = 0;
  for (int k = 0; k < 100'000; ++k) sum = sum + k;
  const auto after = counters.read();
  EXPECT_EQ(before.cycles.has_value(), before.instructions.has_value());
  if (!before.instructions) GTEST_SKIP() << "the kernel gives no counters";
  EXPECT_GE(*after.instructions, *before.instructions + 100'000);
  EXPECT_GT(*after.cycles, *before.cycles);
}

}  // namespace
}  // namespace plimsoll::interpose
