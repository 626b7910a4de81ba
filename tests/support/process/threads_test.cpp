#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(ParallelFor, CallsFunctionOncePerIndex) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 1000U}) {
    std::vector<std::atomic<int>> calls(257);
    parallel_for(calls.size(), threads, [&](std::size_t index) { ++calls[index]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, DoesNothingForEmptyRange) {
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, RunsInlineWithOneThread) {
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t index) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, RethrowsFailureOfLowestIndexWithAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      std::string message;
      try {
        parallel_for(100, threads, [](std::size_t index) {
          if (index == 20) std::this_thread::yield();
          if (index >= 20) throw std::runtime_error(std::to_string(index));
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      ASSERT_EQ(message, "20");
    }
  }
}

TEST(ResolveThreads, ReturnsAtLeastOneThread) {
  EXPECT_EQ(resolve_threads(3), 3U);
  EXPECT_GE(resolve_threads(0), 1U);
}

}  // namespace
}  // namespace plimsoll::support
