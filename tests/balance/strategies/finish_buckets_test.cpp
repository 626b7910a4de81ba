#include "balance/strategies/greedy_lb/finish_buckets.hpp"

#include <gtest/gtest.h>

#include "balance/search/random.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

TEST(FinishBuckets, FindsEarliestRankToWithinOneBucket) {
  Random random(1);
  std::vector<double> finish(13);
  for (double& time : finish) time = 3 * random.uniform();
  FinishBuckets ranks(finish, 0.25, 1000);
  for (int step = 0; step < 2000; ++step) {
    const std::uint32_t earliest = ranks.earliest();
    ASSERT_EQ(ranks.finish_s(earliest), finish[earliest]);
    ASSERT_LT(finish[earliest], std::ranges::min(finish) + 0.25 + 1e-12);
    const double work = random.uniform();
    finish[earliest] += work;
    ranks.raise_earliest(work);
  }
}

TEST(FinishBuckets, CollectsLateRanksInLastBucket) {
  FinishBuckets ranks({0, 0}, 1, 1);
  for (int step = 0; step < 10; ++step) ranks.raise_earliest(5);
  EXPECT_EQ(ranks.finish_s(0) + ranks.finish_s(1), 50);
}

}  // namespace
}  // namespace plimsoll::balance
