#include <gtest/gtest.h>

#include <random>

#include <plimsoll/collectives/number_list.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {
namespace {

/// Returns a list of runs, repeated runs and distant numbers.
NumberList random_list(std::mt19937_64& random) {
  NumberList list;
  for (std::uint64_t parts = random() % 6; parts > 0; --parts) {
    const std::uint64_t first = random() >> random() % 64;
    if (random() % 2 == 0) {
      const std::uint64_t more = std::min(random() % 5, UINT64_MAX - first);
      list.append({first, first + more});
      continue;
    }
    const std::uint64_t begin = first >> 20;
    NumberList period;
    period.append({begin, begin + random() % 3});
    period.append({begin + 5, begin + 5});
    list.append(period, 1 + random() % 9, 7 + random() % 3);
  }
  return list;
}

std::optional<NumberList> decoded(const NumberList& list, std::uint64_t max_size = UINT64_MAX) {
  return NumberList::from_code({list.code().begin(), list.code().end()}, list.last_run(), max_size);
}

TEST(NumberListCode, ReturnsSameList) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 3000; ++k) {
    NumberList list = random_list(random);
    if (list.empty()) continue;
    std::optional<NumberList> again = decoded(list, list.size());
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, list);
    EXPECT_EQ(again->min(), list.min());
    EXPECT_EQ(again->max(), list.max());
    EXPECT_FALSE(decoded(list, list.size() - 1).has_value());
    const NumberList more = random_list(random);
    again->append(more);
    list.append(more);
    EXPECT_EQ(*again, list);
    EXPECT_EQ(again->to_short_string(), list.to_short_string());
  }
}

TEST(NumberListCode, IsConsistentOrRejected) {
  std::mt19937_64 random(2);
  std::size_t accepted = 0;
  for (int k = 0; k < 20000; ++k) {
    std::vector<std::uint8_t> code;
    for (std::uint64_t bytes = random() % 9; bytes > 0; --bytes)
      code.push_back(static_cast<std::uint8_t>(random() % (random() % 2 == 0 ? 16 : 256)));
    const std::uint64_t last = random() % 30;
    const auto list = NumberList::from_code(code, {last, last + random() % 3}, 10'000);
    if (!list) continue;
    ++accepted;
    std::uint64_t size = 0;
    std::uint64_t runs = 0;
    std::uint64_t smallest = UINT64_MAX;
    std::uint64_t largest = 0;
    for (const NumberList::Run& run : list->runs()) {
      ASSERT_LE(run.first, run.last);
      size += run.size();
      ++runs;
      smallest = std::min(smallest, run.first);
      largest = std::max(largest, run.last);
    }
    EXPECT_EQ(size, list->size());
    EXPECT_EQ(runs, list->run_count());
    EXPECT_EQ(smallest, list->min());
    EXPECT_EQ(largest, list->max());
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(NumberListCode, RejectsRunsOutsideOfNumbers) {
  EXPECT_FALSE(NumberList::from_code({}, {5, 4}).has_value());
  EXPECT_FALSE(NumberList::from_code({}, {0, UINT64_MAX}).has_value());
  EXPECT_FALSE(NumberList::from_code({0x80}, {5, 5}).has_value());                 // the number does not end
  EXPECT_FALSE(NumberList::from_code({6, 3, 0}, {5, 5}).has_value());              // steps of 0
  EXPECT_FALSE(NumberList::from_code({6, 0, 9}, {5, 5}).has_value());              // no rounds
  EXPECT_FALSE(NumberList::from_code({2, 3, 9}, {5, 5}).has_value());              // no runs
  EXPECT_FALSE(NumberList::from_code({6, 3, 9, 6, 3, 9, 8}, {5, 5}).has_value());  // a period in a period
  EXPECT_TRUE(NumberList::from_code({6, 3, 9, 8}, {50, 50}).has_value());
}

}  // namespace
}  // namespace plimsoll::collectives
