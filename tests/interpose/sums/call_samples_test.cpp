#include "interpose/sums/call_samples.hpp"

#include <gtest/gtest.h>

namespace plimsoll::interpose {
namespace {

CallSamples samples_of(std::uint64_t calls) {
  CallSamples samples;
  for (std::uint64_t number = 0; number < calls; ++number) samples.add(number, 1000 + number);
  return samples;
}

TEST(CallSamples, KeepAllOfTheFirstCalls) {
  EXPECT_EQ(samples_of(0).size(0), 0u);
  const CallSamples samples = samples_of(CallSamples::capacity);
  ASSERT_EQ(samples.size(CallSamples::capacity), CallSamples::capacity);
  for (std::uint64_t k = 0; k < CallSamples::capacity; ++k) EXPECT_EQ(samples[k], 1000 + k);
}

TEST(CallSamples, AreEvenlySpaced) {
  for (const std::uint64_t calls : {65u, 66u, 127u, 128u, 129u, 1000u}) {
    const CallSamples samples = samples_of(calls);
    const std::uint64_t stride = samples[1] - samples[0];
    const std::size_t size = samples.size(calls);
    ASSERT_LE(size, CallSamples::capacity) << calls;
    EXPECT_GE(size, CallSamples::capacity / 2) << calls;
    for (std::size_t k = 0; k < size; ++k) EXPECT_EQ(samples[k], 1000 + stride * k) << calls;
    EXPECT_GE(stride * size, calls) << "the last calls are missing";
  }
}

}  // namespace
}  // namespace plimsoll::interpose
