#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <plimsoll/drawing/chart.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

TEST(ColumnChart, DrawsEighthsOfLines) {
  const std::vector<double> values = {0, 1, 4, 8, 12, 16};
  EXPECT_EQ(column_chart(values, {.width = 6, .height = 2, .title = "load", .x_first = "0", .x_last = "5"}),
            "load\n"
            "16 │    ▄█\n"
            " 0 │ ▁▄███\n"
            "    0    5\n");
}

TEST(ColumnChart, DrawsWithAsciiOnRequest) {
  const std::vector<double> values = {0, 1, 4, 8, 12, 16};
  EXPECT_EQ(column_chart(values, {.width = 6, .height = 2, .ascii = true}),
            "16 |    ##\n"
            " 0 | .####\n");
}

TEST(ColumnChart, KeepsPeaksOfLongSeries) {
  std::vector<double> values(1000, 1.0);
  values[503] = 4.0;
  EXPECT_EQ(column_chart(values, {.width = 10, .height = 4, .ascii = true}),
            "4 |     #\n"
            "  |     #\n"
            "  |     #\n"
            "0 |##########\n");
}

TEST(ColumnChart, WidensColumnsOfShortSeries) {
  const std::vector<double> values = {1, 2};
  EXPECT_EQ(column_chart(values, {.width = 6, .height = 2, .ascii = true}),
            "2 |   ###\n"
            "0 |######\n");
}

TEST(ColumnChart, LeavesGapsForInvalidValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      column_chart(std::vector<double>{2, nan, -1, infinity, 2}, {.width = 5, .height = 1, .ascii = true}),
      "2 |#   #\n");
  EXPECT_EQ(column_chart(std::vector<double>{0, 0}, {.width = 2, .height = 1, .ascii = true}), "0 |\n");
  EXPECT_EQ(column_chart({}, {}), "");
  EXPECT_EQ(column_chart(std::vector<double>{1}, {.width = 0, .height = 0, .ascii = true}), "1 |#\n");
}

TEST(BarChart, DrawsBarsInProportion) {
  const std::vector<Bar> bars = {{"a", 4, "4 s"}, {"long", 2, "2 s"}, {"b", 0.25, "0.25 s"}, {"c", 0, "0 s"}};
  EXPECT_EQ(bar_chart(bars, "title", 28, false),
            "title\n"
            "a    ████████████████ 4 s\n"
            "long ████████ 2 s\n"
            "b    █ 0.25 s\n"
            "c     0 s\n");
  EXPECT_EQ(bar_chart(bars, "", 28, true),
            "a    ################ 4 s\n"
            "long ######## 2 s\n"
            "b    # 0.25 s\n"
            "c     0 s\n");
}

TEST(BarChart, AcceptsAnyValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Bar> bars = {{"a", nan, "-"}, {"b", -1, "-1"}, {"c", infinity, "-"}, {"d", 1, "1"}};
  EXPECT_EQ(bar_chart(bars, "", 0, true), "a  -\nb  -1\nc  -\nd ########## 1\n");
  EXPECT_EQ(bar_chart({}, "title", 80, true), "");
}

}  // namespace
}  // namespace plimsoll::drawing
