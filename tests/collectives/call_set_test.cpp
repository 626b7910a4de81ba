#include "collectives/call_set.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace plimsoll::collectives {
namespace {

NumberList list(const char* text) {
  return *NumberList::parse(text);
}

TEST(CallSet, CountsWhatIsInBoth) {
  const CallSet calls(list("10-19, 0-4, 30"));
  EXPECT_EQ(calls.count_common(list("0-4")), 5U);
  EXPECT_EQ(calls.count_common(list("3-12")), 5U);
  EXPECT_EQ(calls.count_common(list("5-9, 20-29, 31")), 0U);
  EXPECT_EQ(calls.count_common(list("30, 29, 19, 2")), 3U);
  EXPECT_EQ(calls.count_common(list("0-100")), 16U);
  EXPECT_EQ(calls.count_common({}), 0U);
}

TEST(CallSet, CountsRepeatedNumbersOnce) {
  EXPECT_EQ(CallSet(list("0-5, 3-8, 1")).count_common(list("0-100")), 9U);
}

TEST(CallSet, MayHaveTheGreatestNumber) {
  NumberList last;
  last.append({UINT64_MAX - 1, UINT64_MAX});
  EXPECT_EQ(CallSet(last).count_common(last), 2U);
}

}  // namespace
}  // namespace plimsoll::collectives
