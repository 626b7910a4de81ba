#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include <plimsoll/drawing/chart.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

TEST(PlotText, MarksPointsBetweenAxes) {
  Plot plot{.title = "Load", .x_label = "phase", .y_label = "s"};
  plot.series = {{.name = "a", .points = {{0, 0}, {5, 5}, {10, 10}}}};
  EXPECT_EQ(plot_text(plot, {.width = 24, .height = 5, .ascii = true}),
            "Load\n"
            "s\n"
            "10 +                  x\n"
            "   |\n"
            "   |         x\n"
            "   |\n"
            " 0 +x\n"
            "   ++--------+--------+-\n"
            "    0        5       10\n"
            "            phase\n");
}

TEST(PlotText, ConnectsPointsWithLines) {
  Plot plot;
  plot.series = {{.name = "a", .points = {{0, 0}, {10, 10}}, .line = true, .marks = false}};
  const auto ascii = lines_of(plot_text(plot, {.width = 24, .height = 4, .ascii = true}));
  EXPECT_EQ(ascii[0], "10 +                 ..");
  EXPECT_EQ(ascii[3], " 0 +....");
  const std::string braille = plot_text(plot, {.width = 24, .height = 4});
  EXPECT_THAT(lines_of(braille)[3], HasSubstr("0 ┤⣀"));
  EXPECT_THAT(braille, Not(HasSubstr("×")));
}

TEST(PlotText, DrawsDecadesAtEqualDistances) {
  Plot plot{.log_x = true, .log_y = true};
  plot.series = {{.name = "a", .points = {{1, 10000}, {100, 100}, {10000, 1}}}};
  const auto text = lines_of(plot_text(plot, {.width = 60, .height = 9, .ascii = true}));
  std::vector<std::size_t> columns, rows;
  for (std::size_t row = 0; row < 9; ++row)
    if (const std::size_t column = text[row].find('x'); column != std::string::npos) {
      columns.push_back(column);
      rows.push_back(row);
    }
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_NEAR(double(columns[1] - columns[0]), double(columns[2] - columns[1]), 1);
  EXPECT_NEAR(double(rows[1] - rows[0]), double(rows[2] - rows[1]), 1);
  EXPECT_THAT(text[10], testing::ContainsRegex("^ *1 +10 +100 +1,000 +10k$"));
}

TEST(PlotText, DrawsRoundTicksOnShortLogarithmicAxes) {
  Plot plot{.log_x = true, .log_y = true};
  plot.series = {{.name = "a", .points = {{300, 1}, {800, 2}}}};
  EXPECT_THAT(plot_text(plot), testing::ContainsRegex(" 300 +400 +500 +600 "));
}

TEST(PlotText, SkipsPointsOutsideAxes) {
  Plot plot{.log_x = true, .log_y = true};
  plot.series = {{.name = "a", .points = {{1, 1}, {10, 10}}}};
  const std::string alone = plot_text(plot);
  auto& points = plot.series[0].points;
  points.insert(points.end(), {{0, 5}, {-3, 5}, {5, 0}, {nan, 5}, {5, infinity}, {5, -infinity}, {1e308, 5}});
  EXPECT_EQ(plot_text(plot), alone);
}

TEST(PlotText, InterruptsLinesAtMissingPoints) {
  Plot plot;
  plot.series = {
      {.name = "a", .points = {{0, 1}, {4, 1}, {nan, nan}, {6, 1}, {10, 1}}, .line = true, .marks = false}};
  EXPECT_THAT(plot_text(plot, {.width = 40, .height = 4, .ascii = true}),
              testing::ContainsRegex("\\.\\.\\.   +\\.\\.\\."));
  plot.series[0].points[2] = {5, 1};
  EXPECT_THAT(plot_text(plot, {.width = 40, .height = 4, .ascii = true}),
              Not(testing::ContainsRegex("\\.\\.\\.   +\\.\\.\\.")));
}

TEST(PlotText, ReportsMissingData) {
  EXPECT_EQ(plot_text({.title = "Load"}), "Load\n(no points to draw)\n");
  EXPECT_EQ(plot_text({.series = {{.name = "a", .points = {{nan, 1}}}}}), "(no points to draw)\n");
  EXPECT_EQ(plot_text({.log_y = true, .series = {{.name = "a", .points = {{1, 0}}}}}),
            "(no points to draw)\n");
}

TEST(PlotText, DrawsLegendForSeveralSeries) {
  Plot plot;
  plot.series = {{.name = "model", .points = {{0, 0}, {1, 1}}, .line = true, .marks = false},
                 {.name = "measured", .points = {{0, 0}}},
                 {.name = "empty"}};
  EXPECT_EQ(lines_of(plot_text(plot, {.ascii = true})).back(), "  .. model  x measured");
  EXPECT_EQ(lines_of(plot_text(plot)).back(), "  ⠤⠤ model  × measured");
  plot.series.resize(1);
  EXPECT_THAT(plot_text(plot), Not(HasSubstr("model")));
}

TEST(PlotText, DistinguishesLinesWithoutColours) {
  Plot plot;
  for (const char* name : {"one", "two", "three"})
    plot.series.push_back({.name = name, .points = {{0, 0}, {1, 1}}, .line = true, .marks = false});
  EXPECT_THAT(plot_text(plot), HasSubstr("  ⠤⠤ one  ⠤⠀⠤ two  ⠄⠄ three\n"));
  EXPECT_THAT(plot_text(plot, {.ascii = true}), HasSubstr("  .. one  :: two  ~~ three\n"));
}

TEST(PlotText, DrawsSinglePointAndEqualPoints) {
  for (const bool log : {false, true})
    for (const double value : {1e-299, 5.0, 1e299}) {
      const Plot plot{
          .log_x = log, .log_y = log, .series = {{.name = "a", .points = {{value, value}, {value, value}}}}};
      EXPECT_THAT(plot_text(plot), HasSubstr("×")) << value;
    }
  EXPECT_THAT(plot_text({.series = {{.name = "a", .points = {{-5, -5}, {0, 0}}}}}), HasSubstr("×"));
}

TEST(PlotText, NeverExceedsWidth) {
  Plot plot{.title = std::string(500, 't') + "\n",
            .x_label = std::string(500, 'x'),
            .y_label = "日本語 y \x1b[2J  "};
  for (int k = 0; k < 12; ++k)
    plot.series.push_back({.name = std::string(static_cast<std::size_t>(20 * k), 'n'), .line = k % 2 == 0});
  for (int exponent = -300; exponent <= 300; exponent += 7)
    for (PlotSeries& series : plot.series)
      series.points.emplace_back(std::pow(10, exponent), std::sin(exponent) * std::pow(10, -exponent));
  for (const bool log : {false, true})
    for (const bool ascii : {false, true})
      for (const std::size_t width : {0U, 24U, 25U, 40U, 72U, 399U, 100000U})
        for (const std::size_t height : {0U, 4U, 5U, 14U, 100000U}) {
          plot.log_x = plot.log_y = log;
          const std::string text = plot_text(plot, {.width = width, .height = height, .ascii = ascii});
          EXPECT_THAT(text, Not(HasSubstr("\x1b")));
          EXPECT_TRUE(text.ends_with('\n'));
          const auto drawn = lines_of(text);
          EXPECT_LE(drawn.size(), std::clamp<std::size_t>(height, 4, 100) + 17);
          for (const std::string& line : drawn) {
            EXPECT_LE(support::display_width(line), std::clamp<std::size_t>(width, 24, 400));
            EXPECT_FALSE(line.ends_with(' ')) << line;
          }
        }
}

}  // namespace
}  // namespace plimsoll::drawing
