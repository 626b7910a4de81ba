#include "balance/strategies/rec_bipart_lb/gain_buckets.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(GainBuckets, FindsMaximumGain) {
  GainBuckets buckets(5, 100, GainBuckets::Among::last_come);
  EXPECT_EQ(buckets.best(), -1);
  buckets.put(0, -100);
  buckets.put(3, 20);
  buckets.put(4, 100);
  EXPECT_EQ(buckets.best(), 4);
  buckets.put(4, -50);
  EXPECT_EQ(buckets.best(), 3);
  buckets.remove(3);
  EXPECT_FALSE(buckets.contains(3));
  EXPECT_EQ(buckets.best(), 4);
  buckets.remove(4);
  EXPECT_EQ(buckets.best(), 0);
  buckets.put(1, 0);
  EXPECT_EQ(buckets.best(), 1);
}

TEST(GainBuckets, OrdersEqualGainsByInsertion) {
  for (const auto& [equals, expected] :
       {std::pair(GainBuckets::Among::first_come, 2), std::pair(GainBuckets::Among::last_come, 1)}) {
    GainBuckets buckets(3, 0, equals);
    buckets.put(2, 0);
    buckets.put(0, 0);
    buckets.put(1, 0);
    EXPECT_EQ(buckets.best(), expected);
  }
}

}  // namespace
}  // namespace plimsoll::balance
