#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Returns the result of add_concurrent(), computed directly from its definition.
ExactTimes side_by_side(const ExactTimes& first, const ExactTimes& second) {
  ExactTimes sum(first.size(), never);
  for (std::size_t p = 0; p < first.size(); ++p)
    for (std::size_t q = 0; p + q < first.size(); ++q)
      sum[p + q] = std::min(sum[p + q], std::max(first[p], second[q]));
  return sum;
}

// Tests sizes around multiples of 64, because 64 sums are computed at a time. The data are sparse or dense,
// and contain equal times.
TEST(ExactSums, MinimiseMaximumTimeOfTwoParts) {
  std::mt19937 random(7);
  for (const std::size_t size : {1, 2, 63, 64, 65, 127, 128, 129, 200}) {
    for (const unsigned sparsity : {1, 2, 10}) {
      const auto some_times = [&] {
        ExactTimes times(size, never);
        for (double& time : times)
          if (random() % sparsity == 0) time = static_cast<double>(random() % 20);
        return times;
      };
      const ExactTimes first = some_times();
      const ExactTimes second = some_times();
      EXPECT_EQ(add_concurrent(first, second), side_by_side(first, second)) << size << ", " << sparsity;
    }
  }
}

TEST(UnitSet, ReportsNewSums) {
  UnitSet ones(130);
  for (const std::size_t number : {0, 63, 64, 130}) ones.insert(number);
  UnitSet sums(130);
  sums.insert(66);
  std::vector<std::size_t> fresh;
  sums.insert_sums(ones, 2, [&](std::size_t sum) { fresh.push_back(sum); });
  EXPECT_EQ(fresh, (std::vector<std::size_t>{2, 65}));
  EXPECT_TRUE(sums.contains(66));
  EXPECT_FALSE(sums.contains(64));
}

}  // namespace
}  // namespace plimsoll::pelayout
