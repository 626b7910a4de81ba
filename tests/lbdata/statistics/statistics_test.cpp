#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/lbdata/statistics.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

// The expected moments were computed with exact rational arithmetic.
TEST(Statistics, AgreeWithVt) {
  const std::vector<double> values = {1, 2, 3, 4, 10};
  const Statistics statistics(values);
  EXPECT_EQ(statistics.count(), 5U);
  EXPECT_EQ(statistics.nonzero_count(), 5U);
  EXPECT_EQ(statistics.sum(), 20);
  EXPECT_EQ(statistics.average(), 4);
  EXPECT_EQ(statistics.minimum(), 1);
  EXPECT_EQ(statistics.maximum(), 10);
  EXPECT_EQ(statistics.imbalance(), 1.5);
  EXPECT_DOUBLE_EQ(statistics.variance(), 10);
  EXPECT_DOUBLE_EQ(statistics.standard_deviation(), 3.1622776601683795);
  EXPECT_DOUBLE_EQ(statistics.skewness(), 0.8145870119269027);
  EXPECT_DOUBLE_EQ(statistics.kurtosis(), -1.21568);

  const Statistics skewed(std::vector<double>{0, 0.5, 0.5, 2, 2, 8});
  EXPECT_EQ(skewed.nonzero_count(), 5U);
  EXPECT_DOUBLE_EQ(skewed.imbalance(), 2.6923076923076925);
  EXPECT_DOUBLE_EQ(skewed.variance(), 7.388888888888889);
  EXPECT_NEAR(skewed.skewness(), 1.1303058547401126, 1e-14);
  EXPECT_NEAR(skewed.kurtosis(), -0.46588039647992163, 1e-14);
}

TEST(Statistics, ListQuantitiesByName) {
  std::string names;
  for (const Statistics::Quantity& quantity : Statistics(std::vector<double>{1, 3}).quantities()) {
    names += std::string(quantity.name) + "=" + std::to_string(quantity.value).substr(0, 4) + " ";
  }
  EXPECT_EQ(
      names,
      "avg=2.00 car=2.00 imb=0.50 kur=-2.7 max=3.00 min=1.00 npr=2.00 skw=0.00 std=1.00 sum=4.00 var=1.00 ");
}

TEST(Statistics, AreZeroIfUndefined) {
  for (const Statistics::Quantity& quantity : Statistics().quantities())
    EXPECT_EQ(quantity.value, 0) << quantity.name;
  const Statistics one(std::vector<double>{3});
  EXPECT_EQ(one.variance(), 0);
  EXPECT_EQ(one.skewness(), 0);
  EXPECT_EQ(one.kurtosis(), 0);
  EXPECT_EQ(one.imbalance(), 0);
  const Statistics equal(std::vector<double>(1000, 0.1));
  EXPECT_EQ(equal.skewness(), 0);
  EXPECT_EQ(equal.kurtosis(), 0);
  EXPECT_EQ(Statistics(std::vector<double>{0, 0}).imbalance(), 0);
  EXPECT_EQ(Statistics(std::vector<double>{-1, -3}).imbalance(), 0);
}

TEST(Statistics, MergeToSameResultAsOnePass) {
  std::vector<double> values;
  for (int k = 0; k < 1000; ++k) values.push_back(1e-5 * (k * 7919 % 1009) + (k % 100 == 0 ? 0.1 : 0));
  const Statistics whole(values);
  for (const std::size_t split : {0U, 1U, 500U, 999U, 1000U}) {
    const std::span<const double> all(values);
    Statistics merged(all.first(split));
    merged.merge(Statistics(all.subspan(split)));
    for (std::size_t k = 0; k < 11; ++k) {
      EXPECT_NEAR(merged.quantities()[k].value, whole.quantities()[k].value,
                  1e-11 * (1 + std::abs(whole.quantities()[k].value)))
          << whole.quantities()[k].name << ' ' << split;
    }
  }
}

// vt multiplies counts in 32 bits, which overflows beyond 46,340.
TEST(Statistics, StayExactForLargeCountsAndOffsets) {
  Statistics part;
  for (int k = 0; k < 100000; ++k) part.add(k % 2 == 0 ? 1e6 : 1e6 + 2);
  Statistics all;
  for (int k = 0; k < 20; ++k) all.merge(part);
  for (int k = 0; k < 12; ++k) all.merge(Statistics(all));
  EXPECT_EQ(all.count(), 2000000ULL << 12);
  EXPECT_NEAR(all.variance(), 1, 1e-9);
  EXPECT_NEAR(all.skewness(), 0, 1e-6);
  EXPECT_NEAR(all.kurtosis(), -2, 1e-6);
  EXPECT_EQ(all.average(), 1000001);
}

TEST(Statistics, SumWithoutLosingSmallValues) {
  Statistics statistics;
  statistics.add(1e16);
  for (int k = 0; k < 1000; ++k) statistics.add(1);
  statistics.add(-1e16);
  EXPECT_EQ(statistics.sum(), 1000);
}

// The expected values are those of numpy.quantile().
TEST(Quartiles, InterpolateBetweenNeighbours) {
  std::vector<double> even = {4, 1, 3, 2};
  EXPECT_EQ(quartiles(even), (Quartiles{1.75, 2.5, 3.25}));
  std::vector<double> odd = {5, 1, 4, 2, 3};
  EXPECT_EQ(quartiles(odd), (Quartiles{2, 3, 4}));
  std::vector<double> skewed = {8, 0, 0.5, 2, 0.5, 2};
  EXPECT_EQ(quartiles(skewed), (Quartiles{0.5, 1.25, 2}));
}

TEST(Quartiles, AreDefinedForFewValues) {
  EXPECT_EQ(quartiles({}), Quartiles());
  std::vector<double> one = {7};
  EXPECT_EQ(quartiles(one), (Quartiles{7, 7, 7}));
  std::vector<double> two = {3, 1};
  EXPECT_EQ(quartiles(two), (Quartiles{1.5, 2, 2.5}));
}

TEST(Statistics, HaveNoNegativeImbalance) {
  for (const double value : {0.1, 0.3, 1e-9, 7.7})
    for (std::size_t count = 1; count < 50; ++count)
      EXPECT_GE(Statistics(std::vector<double>(count, value)).imbalance(), 0) << count << " x " << value;
}

}  // namespace
}  // namespace plimsoll::lbdata
