#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/sweep.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;

TEST(ParseTotals, AcceptsNumberListOrRange) {
  EXPECT_THAT(parse_totals("1024"), ElementsAre(1024));
  EXPECT_THAT(parse_totals("2048,512,1024,512"), ElementsAre(512, 1024, 2048));
  EXPECT_THAT(parse_totals("512:2048:512"), ElementsAre(512, 1024, 1536, 2048));
  EXPECT_THAT(parse_totals("512:2047:512"), ElementsAre(512, 1024, 1536));
  EXPECT_THAT(parse_totals("8:8:4"), ElementsAre(8));
  EXPECT_EQ(parse_totals("1:100000:1").size(), 100'000U);
}

TEST(ParseTotals, RejectsInvalidTotals) {
  for (const char* text :
       {"", "many", "12x", "1.5", "1,,2", "1,", "1 024", "1:2", "1:2:3:4", ":2:1", "99999999999999999999"}) {
    SCOPED_TRACE(text);
    EXPECT_ERROR(parse_totals(text), usage, "first:last:step");
  }
  EXPECT_ERROR(parse_totals("12x"), usage, "\"12x\" is not an integer");
  EXPECT_ERROR(parse_totals("0"), usage, "0 must be between 1 and 100000000");
  EXPECT_ERROR(parse_totals("-5"), usage, "-5 must be between");
  EXPECT_ERROR(parse_totals("100000001"), usage, "must be between");
  EXPECT_ERROR(parse_totals("1:10:0"), usage, "0 must be between");
  EXPECT_ERROR(parse_totals("10:1:1"), usage, "the end must not be below the start");
  EXPECT_ERROR(parse_totals("1:100001:1"), usage, "more than 100000 totals");
}

TEST(ParseObjective, AcceptsTimeCostAndRatio) {
  EXPECT_EQ(parse_objective("time").weight_of_time, 1);
  EXPECT_EQ(parse_objective("cost").weight_of_time, 0);
  EXPECT_EQ(parse_objective("ratio=0.25").weight_of_time, 0.25);
  EXPECT_EQ(parse_objective("ratio=1").weight_of_time, 1);
}

TEST(ParseObjective, RejectsUnknownObjectives) {
  for (const char* text :
       {"", "Time", "ratio", "ratio=", "ratio=2", "ratio=-0.1", "ratio=nan", "ratio=0.5x"}) {
    SCOPED_TRACE(text);
    EXPECT_ERROR(parse_objective(text), usage, "ratio=W");
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
