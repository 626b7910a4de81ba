#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/support/table.hpp>

namespace plimsoll::inline v0_1::drawing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HeatMap square(std::size_t size, const std::function<double(std::size_t, std::size_t)>& value) {
  HeatMap map;
  map.rows = map.columns = size;
  for (std::size_t row = 0; row < size; ++row) {
    map.row_labels.push_back(std::to_string(row));
    for (std::size_t column = 0; column < size; ++column) map.values.push_back(value(row, column));
  }
  map.column_labels = map.row_labels;
  map.title = "Title";
  map.row_title = "from";
  map.column_title = "to";
  return map;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

TEST(HeatScale, HasEqualStepsUpToMaximum) {
  const HeatScale scale({0, 1, 45, 90}, 10);
  EXPECT_FALSE(scale.is_logarithmic());
  EXPECT_EQ(scale.level(0), 0U);
  EXPECT_EQ(scale.level(1), 1U);
  EXPECT_EQ(scale.level(10), 1U);
  EXPECT_EQ(scale.level(11), 2U);
  EXPECT_EQ(scale.level(90), 9U);
  EXPECT_EQ(scale.upper_bound(3), 30);
}

TEST(HeatScale, HasEqualRatiosForWideRangeOfValues) {
  const HeatScale scale({0, 1, 1e9}, 10);
  EXPECT_TRUE(scale.is_logarithmic());
  EXPECT_EQ(scale.level(0), 0U);
  EXPECT_EQ(scale.level(1), 1U);
  EXPECT_EQ(scale.level(9), 1U);
  EXPECT_EQ(scale.level(99), 2U);
  EXPECT_EQ(scale.level(1e9), 9U);
  EXPECT_NEAR(scale.upper_bound(2), 100, 1e-9);
}

TEST(HeatScale, AcceptsEmptyAndEqualValues) {
  EXPECT_EQ(HeatScale({}, 10).level(0), 0U);
  EXPECT_EQ(HeatScale({5, 5}, 10).level(5), 9U);
}

TEST(Binned, AveragesValuesOfMergedCells) {
  const HeatMap map = binned(square(3, [](auto row, auto column) { return double(row * 3 + column); }), 2);
  EXPECT_EQ(map.values, (std::vector<double>{(0 + 1 + 3 + 4) / 4.0, (2 + 5) / 2.0, (6 + 7) / 2.0, 8}));
  EXPECT_EQ(map.row_labels, (std::vector<std::string>{"0-1", "2"}));
}

TEST(HeatMapText, DrawsEachCell) {
  const auto text = lines(heat_map_text(square(3, [](auto row, auto column) {
    return row == column ? 0.0 : row == 0 ? 9.0 : 1.0;
  })));
  ASSERT_EQ(text.size(), 7U);
  EXPECT_EQ(text[0], "Title");
  EXPECT_EQ(text[1], "from down, to across");
  EXPECT_EQ(text[2], "  0 1 2");
  EXPECT_EQ(text[3], "0   @@@@");
  EXPECT_EQ(text[4], "1 ..  ..");
  EXPECT_EQ(text[5], "2 ....");
  EXPECT_EQ(text[6], "\" \" 0  \".\" to 1  \"-\" to 3  \"+\" to 5  \"#\" to 7  \"@\" to 9");
}

TEST(HeatMapText, FitsRequestedWidth) {
  for (const std::size_t size : {1U, 36U, 37U, 75U, 80U, 1000U}) {
    const HeatMap map = square(size, [](auto row, auto column) { return double(row + column); });
    for (const std::size_t width : {20U, 80U, 200U})
      for (const std::string& line : lines(heat_map_text(map, {.width = width}))) {
        if (line.starts_with('"') || line.starts_with("from")) continue;  // legends may be longer
        EXPECT_LE(line.size(), width) << size << ": " << line;
      }
  }
}

TEST(HeatMapText, ReportsNumberOfAveragedCells) {
  EXPECT_THAT(heat_map_text(square(1000, [](auto, auto) { return 1.0; })), HasSubstr("mean of 28 x 28"));
}

TEST(HeatMapText, UsesColoursOnRequest) {
  const HeatMap map = square(2, [](auto row, auto) { return double(row); });
  EXPECT_THAT(heat_map_text(map, {.colour = true}), HasSubstr("\x1b[48;5;226m    \x1b[0m"));
  EXPECT_THAT(heat_map_text(map), Not(HasSubstr("\x1b")));
}

TEST(HeatMapText, AcceptsEmptyMap) {
  EXPECT_EQ(heat_map_text({}), "");
  EXPECT_THAT(heat_map_svg({}), HasSubstr("</svg>"));
}

TEST(HeatMapSvg, HasCellWithTooltipForEachNonzeroValue) {
  const std::string svg = heat_map_svg(square(2, [](auto row, auto column) { return double(row + column); }));
  EXPECT_THAT(svg, HasSubstr("<title>0 to 1: 1</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>1 to 1: 2</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>0 to 0:")));
}

TEST(HeatMapSvg, EscapesLabels) {
  HeatMap map = square(1, [](auto, auto) { return 1.0; });
  map.title = "a<script>&\"\x01\xff";
  map.row_labels = {"<b>"};
  const std::string svg = heat_map_svg(map);
  EXPECT_THAT(svg, HasSubstr("a&lt;script&gt;&amp;&quot;??"));
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt; to 0"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(HeatMapSvg, AveragesManyCells) {
  const std::string svg = heat_map_svg(square(1024, [](auto, auto) { return 1.0; }));
  EXPECT_THAT(svg, HasSubstr("mean of 2 x 2"));
  EXPECT_THAT(svg, HasSubstr("<title>1022-1023 to 0-1: 1</title>"));
}

}  // namespace
}  // namespace plimsoll::drawing
