#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
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
  EXPECT_EQ(scale.level(0), 0U);
  EXPECT_EQ(scale.level(1), 1U);
  EXPECT_EQ(scale.level(10), 1U);
  EXPECT_EQ(scale.level(11), 2U);
  EXPECT_EQ(scale.level(90), 9U);
  EXPECT_EQ(scale.upper_bound(3), 30);
}

TEST(HeatScale, HasEqualRatiosOnRequest) {
  const HeatScale scale({0, 1, 1e9}, 10, true);
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
  EXPECT_EQ(HeatScale({5, 5}, 10, true).level(5), 9U);
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

/// Returns CIE lightness L* of an sRGB colour with components from 0 to 255.
double lightness(int red, int green, int blue) {
  const auto linear = [](int component) {
    const double value = component / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return luminance <= 216.0 / 24389 ? luminance * 24389 / 27 : 116 * std::cbrt(luminance) - 16;
}

/// Returns the lightness of a colour of 256-colour terminals: a cube of 6 x 6 x 6 colours and 24 greys.
double terminal_lightness(int colour) {
  if (colour >= 232)
    return lightness(8 + 10 * (colour - 232), 8 + 10 * (colour - 232), 8 + 10 * (colour - 232));
  const auto component = [](int step) { return step == 0 ? 0 : 55 + 40 * step; };
  return lightness(component((colour - 16) / 36), component((colour - 16) / 6 % 6),
                   component((colour - 16) % 6));
}

/// Returns a map of one row with values of all levels, in ascending order.
HeatMap ascending_levels() {
  HeatMap map{.rows = 1, .columns = 10, .row_labels = {"0"}};
  for (int value = 0; value < 10; ++value) {
    map.values.push_back(value);
    map.column_labels.push_back(std::to_string(value));
  }
  return map;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

TEST(HeatMapText, UsesLighterColoursForLargerValues) {
  const std::string row = lines(heat_map_text(ascending_levels(), {.colour = true})).at(2);
  const std::vector<std::string> colours = matches(row, "48;5;([0-9]+)m");
  ASSERT_EQ(colours.size(), 10U);
  for (std::size_t k = 1; k < colours.size(); ++k)
    EXPECT_GT(terminal_lightness(std::stoi(colours[k])), terminal_lightness(std::stoi(colours[k - 1]))) << k;
}

TEST(HeatMapSvg, UsesDarkerColoursForLargerValues) {
  // The background has the colour of 0.
  const std::vector<std::string> colours =
      matches(heat_map_svg(ascending_levels()), "fill=\"#([0-9a-f]{6})\"");
  ASSERT_GE(colours.size(), 10U);
  const auto lightness_of = [&](std::size_t k) {
    const int rgb = std::stoi(colours[k], nullptr, 16);
    return lightness(rgb >> 16, rgb >> 8 & 255, rgb & 255);
  };
  for (std::size_t k = 1; k < 10; ++k) EXPECT_LT(lightness_of(k), lightness_of(k - 1)) << k;
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
