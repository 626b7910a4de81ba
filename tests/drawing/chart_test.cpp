#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <plimsoll/drawing/chart.hpp>

namespace plimsoll::inline v0_1::drawing {
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

}  // namespace
}  // namespace plimsoll::drawing
