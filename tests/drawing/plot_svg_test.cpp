#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <limits>

#include <plimsoll/drawing/chart.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Plot costs() {
  Plot plot{.title = "ATM", .x_label = "tasks", .y_label = "cost (s/day)", .log_x = true, .log_y = true};
  plot.series = {{.name = "model", .points = {{1, 1000}, {1000, 1}}, .line = true, .marks = false},
                 {.name = "measured", .points = {{32, 427.471}, {1024, 0}}}};
  return plot;
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  return document;
}

TEST(PlotSvg, ShowsValuesOfPointsInTooltips) {
  const std::string svg = plot_svg({costs()}, "Models");
  EXPECT_THAT(svg, HasSubstr("<title>measured: 32 tasks, 427.5 cost (s/day)</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<title>measured: 1,024")));  // a logarithmic axis cannot show 0
  EXPECT_THAT(svg, HasSubstr("<title>model</title>"));
}

TEST(PlotSvg, DrawsOneCurveAndLegend) {
  const auto document = parsed(plot_svg({costs()}, "Models"));
  EXPECT_EQ(document.select_nodes("//path[title='model']").size(), 1U);
  EXPECT_EQ(document.select_nodes("//text[.='measured']").size(), 1U);
  EXPECT_EQ(document.select_nodes("//text[.='ATM']").size(), 1U);
}

TEST(PlotSvg, ArrangesPlotsInTwoColumns) {
  const auto size = [](std::size_t plots) {
    const auto document = parsed(plot_svg(std::vector<Plot>(plots, costs()), "Models"));
    return std::pair(document.child("svg").attribute("width").as_int(),
                     document.child("svg").attribute("height").as_int());
  };
  EXPECT_EQ(size(2).first, 2 * size(1).first);
  EXPECT_EQ(size(3).first, size(2).first);
  EXPECT_EQ(size(2).second, size(1).second);
  EXPECT_GT(size(3).second, size(2).second);
}

TEST(PlotSvg, DrawsHigherValuesHigher) {
  Plot plot;
  plot.series = {{.name = "a", .points = {{1, 1}, {2, 2}}, .line = true, .marks = false}};
  const auto document = parsed(plot_svg({plot}, ""));
  const std::string path = document.select_node("//path[title='a']").node().attribute("d").value();
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf,%lfL%lf,%lf", &x1, &y1, &x2, &y2), 4) << path;  // NOLINT
  EXPECT_LT(x1, x2);
  EXPECT_GT(y1, y2);
}

TEST(PlotSvg, EscapesAllTexts) {
  Plot plot = costs();
  const std::string bad = "<script>\"&\x01";
  plot.title = plot.x_label = plot.y_label = bad;
  for (PlotSeries& series : plot.series) series.name = series.colour = bad;
  const std::string svg = plot_svg({plot}, bad);
  parsed(svg);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&quot;&amp;?"));
}

TEST(PlotSvg, ReportsMissingData) {
  parsed(plot_svg({}, "none"));
  EXPECT_THAT(plot_svg({Plot{.title = "ATM"}}, "Models"), HasSubstr("no points to draw"));
}

TEST(PlotSvg, DrawsValuesOfAnyMagnitude) {
  Plot plot = costs();
  const double most = std::numeric_limits<double>::max();
  for (const char mark : {'x', '+', 'o', '*', 'v'})
    plot.series.push_back(
        {.name = "a", .points = {{1e-300, 1e300}, {1e300, 1e-300}, {most, most}}, .mark = mark});
  for (const bool log : {false, true}) {
    plot.log_x = plot.log_y = log;
    const std::string svg = plot_svg({plot}, "Models");
    parsed(svg);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf,")));
  }
}

}  // namespace
}  // namespace plimsoll::drawing
