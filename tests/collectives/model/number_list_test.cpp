#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

NumberList list(std::initializer_list<std::uint64_t> numbers) {
  NumberList result;
  for (const std::uint64_t number : numbers) result.push_back(number);
  return result;
}

TEST(NumberList, JoinsNeighboursIntoRangesAndKeepsOrder) {
  EXPECT_EQ(list({0, 1}).to_string(), "0-1");
  EXPECT_EQ(list({0, 2, 4}).to_string(), "0, 2, 4");
  EXPECT_EQ(list({3, 2, 1, 0}).to_string(), "3, 2, 1, 0");
  EXPECT_EQ(list({22574, 22575, 22576, 22578}).to_string(), "22574-22576, 22578");
  EXPECT_EQ(list({0, 1, 5}).to_string(","), "0-1,5");
}

TEST(NumberList, ParsesAllSupportedForms) {
  const NumberList wanted = list({0, 1, 2, 7, 1024});
  for (const char* text : {"0-2, 7, 1024", "0-2,7,1024", "0-2 , 7,  1024 ", " 0,1,2, 7,1024"})
    EXPECT_EQ(NumberList::parse(text), wanted) << text;
}

TEST(NumberList, RejectsInvalidLists) {
  for (const char* text :
       {"", " ", "a", "1,", ",1", "3-1", "1-", "-1", "1 2", "1--2", "99999999999999999999"})
    EXPECT_EQ(NumberList::parse(text), std::nullopt) << text;
  EXPECT_EQ(NumberList::parse("0-4294967295", 1000), std::nullopt);
  EXPECT_TRUE(NumberList::parse("0-999", 1000));
}

TEST(NumberList, ProvidesSizeRangeAndElements) {
  const NumberList numbers = list({5, 6, 7, 1, 2});
  EXPECT_EQ(numbers.size(), 5);
  EXPECT_EQ(numbers.min(), 1);
  EXPECT_EQ(numbers.max(), 7);
  EXPECT_EQ(numbers[2], 7);
  EXPECT_EQ(numbers[3], 1);
  EXPECT_TRUE(numbers.contains(6));
  EXPECT_FALSE(numbers.contains(3));
  std::vector<std::uint64_t> seen;
  numbers.for_each([&](std::uint64_t number) { seen.push_back(number); });
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{5, 6, 7, 1, 2}));
}

/// Random lists: the numbers, and the list to which the same numbers were appended in parts.
struct RandomList {
  std::vector<std::uint64_t> numbers;
  NumberList list;

  explicit RandomList(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    std::uint64_t next = below(5);
    for (std::uint64_t part = 1 + below(6); part > 0; --part) {
      NumberList period;
      std::uint64_t number = next;
      for (std::uint64_t runs = 1 + below(4); runs > 0; --runs) {
        const std::uint64_t size = 1 + below(3);
        period.append({number, number + size - 1});
        number += size + 1 + below(3);
      }
      const std::uint64_t step = period.max() - period.min() + 1 + below(3);
      const std::uint64_t rounds = 1 + below(8);
      list.append(period, rounds, step);
      for (std::uint64_t round = 0; round < rounds; ++round)
        period.for_each([&](std::uint64_t of_period) { numbers.push_back(of_period + round * step); });
      next = below(4) == 0 ? below(50) : numbers.back() + 1 + below(3);
    }
  }
};

class RandomNumberLists : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomNumberLists, ContainTheirNumbers) {
  const RandomList random(GetParam());
  NumberList one_by_one;
  for (const std::uint64_t number : random.numbers) one_by_one.push_back(number);
  EXPECT_EQ(random.list.numbers(), random.numbers);
  EXPECT_EQ(random.list, one_by_one);
  EXPECT_EQ(random.list.size(), random.numbers.size());
  EXPECT_EQ(random.list.to_string(), one_by_one.to_string());
  EXPECT_EQ(random.list.run_count(), one_by_one.run_count());
  EXPECT_EQ(random.list.min(), std::ranges::min(random.numbers));
  EXPECT_EQ(random.list.max(), std::ranges::max(random.numbers));
  EXPECT_EQ(random.list.front(), random.numbers.front());
  const std::optional<NumberList> read = NumberList::parse(random.list.to_short_string());
  ASSERT_TRUE(read) << random.list.to_short_string();
  EXPECT_EQ(*read, random.list) << random.list.to_short_string();
}

INSTANTIATE_TEST_SUITE_P(NumberList, RandomNumberLists, ::testing::Range(0U, 300U));

TEST(NumberList, StoresRegularListsInLittleSpace) {
  NumberList period;
  for (const std::uint64_t number : {4, 6, 7}) period.push_back(number);
  NumberList list;
  list.push_back(0);
  list.append(period, 1'000'000'000, 5);
  EXPECT_EQ(list.size(), 3'000'000'001U);
  EXPECT_EQ(list.max(), 4'999'999'995U + 7);
  EXPECT_EQ(list.to_short_string(), "0, 4, 6-7, [9, 11-12]*999999998+5, 4999999999, 5000000001-5000000002");
}

TEST(NumberList, JoinsRoundsThatTouch) {
  NumberList period;
  for (const std::uint64_t number : {0, 2}) period.push_back(number);
  NumberList list;
  list.append(period, 6, 3);
  EXPECT_EQ(list.to_string(), "0, 2-3, 5-6, 8-9, 11-12, 14-15, 17");
}

TEST(NumberList, SortsInterleavedParts) {
  NumberList evens;
  evens.push_back(0);
  NumberList odds;
  odds.push_back(1);
  NumberList list;
  list.append(odds, 1000, 2);
  list.append(evens, 1000, 2);
  EXPECT_EQ(list.ascending().to_string(), "0-1999");
}

TEST(NumberList, RejectsMalformedRepetitions) {
  for (const char* text :
       {"[1", "[1]", "[1]*", "[1]*5", "[1]*5+", "[1]*0+2", "[]*5+2", "[1-3]*5+2", "[3, 1]*5+9", "[1]*5+2]",
        "[[1]*5+2]*3+9", "[1]*9223372036854775807+9223372036854775807"})
    EXPECT_FALSE(NumberList::parse(text)) << text;
  EXPECT_FALSE(NumberList::parse("[1]*1000+2", 999));
  EXPECT_EQ(NumberList::parse(" [1, 3-4] * 6 + 9, 100")->size(), 19U);
}

}  // namespace
}  // namespace plimsoll::collectives
