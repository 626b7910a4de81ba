#include <gtest/gtest.h>

#include <random>
#include <set>

#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

TEST(PhaseNumbers, JoinsConsecutivePhasesIntoRanges) {
  PhaseNumbers numbers;
  for (const std::int64_t phase : {1, 3, 4, 5, 9}) numbers.append(phase);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {1, 9}, .range = {{3, 5}}}));
}

TEST(PhaseNumbers, SplitsRangeAtRemovedPhase) {
  PhaseNumbers numbers{.list = {1}, .range = {{3, 7}, {20}}};
  numbers.remove(5);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {1}, .range = {{3, 4}, {6, 7}, {20}}}));
  numbers.remove(1);
  numbers.remove(3);
  EXPECT_EQ(numbers, (PhaseNumbers{.list = {}, .range = {{4, 4}, {6, 7}, {20}}}));
}

TEST(PhaseNumbers, BehavesLikeSetOfNumbers) {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    PhaseNumbers numbers;
    std::set<std::int64_t> expected;
    for (std::int64_t phase = 0; phase < 60; ++phase) {
      if (random() % 3 == 0) continue;
      numbers.append(phase);
      expected.insert(phase);
    }
    for (int k = 0; k < 20; ++k) {
      const std::int64_t phase = random() % 60;
      numbers.remove(phase);
      expected.erase(phase);
    }
    for (std::int64_t phase = -1; phase <= 60; ++phase) {
      EXPECT_EQ(numbers.contains(phase), expected.contains(phase));
      const auto after = expected.upper_bound(phase);
      EXPECT_EQ(numbers.next_after(phase), after == expected.end() ? std::nullopt : std::optional(*after));
    }
  }
}

}  // namespace
}  // namespace plimsoll::lbdata
