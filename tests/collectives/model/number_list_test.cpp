#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plimsoll::collectives
