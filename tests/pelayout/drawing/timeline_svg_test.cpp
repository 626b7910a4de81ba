#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <plimsoll/pelayout/graphs.hpp>

#include "pelayout/drawing/layouts_to_draw.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

pugi::xml_document parsed_svg(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  return document;
}

TEST(TimelineSvg, DrawsProportionalBoxPerComponent) {
  const auto document = parsed_svg(draw_timeline_svg(documented_layout()));
  const auto side = [&](const std::string& component, const char* name) {
    const std::string query = "//g[starts-with(title,'" + component + ":')]/rect";
    const auto found = document.select_nodes(query.c_str());
    EXPECT_EQ(found.size(), 1U) << component;
    return found.empty() ? 0 : found[0].node().attribute(name).as_double();
  };
  EXPECT_NEAR(side("ICE", "width") / side("ATM", "width"), 6.0 / 11, 0.001);
  EXPECT_NEAR(side("LND", "height") / side("OCN", "height"), 7.0 / 16, 0.001);
  EXPECT_NEAR(side("ATM", "y"), side("ICE", "y") + side("ICE", "height"), 0.02);
  EXPECT_NEAR(side("OCN", "x"), side("ATM", "x") + side("ATM", "width"), 0.02);
}

TEST(TimelineSvg, ShowsNumbersOfEachBoxInTooltip) {
  const std::string svg = draw_timeline_svg(example_layout());
  EXPECT_THAT(
      svg,
      HasSubstr("<title>OCN: 32 tasks, 15.74 s/day, processors 992 to 1,023, from 0 to 15.74 s/day</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>Layout: 23.94 s/day on 1,024 processors</title>"));
  EXPECT_THAT(svg, HasSubstr("hatched: idle, 1.1 %"));
}

TEST(TimelineSvg, ListsLabelsThatDoNotFit) {
  const auto document = parsed_svg(draw_timeline_svg(example_layout()));
  EXPECT_EQ(document.select_nodes("//text[.='LND: 120 tasks, 1.316 s/day']").size(), 1U);
  EXPECT_EQ(document.select_nodes("//text[starts-with(.,'ATM:')]").size(), 0U);
}

TEST(TimelineSvg, DrawsNodeBorders) {
  const auto document = parsed_svg(draw_timeline_svg(layout_on_nodes()));
  EXPECT_EQ(document.select_nodes("//path[@stroke-dasharray]").size(), 3U);
  EXPECT_EQ(document.select_nodes("//text[.='dotted: node borders']").size(), 1U);
  EXPECT_EQ(document.select_nodes("//text[.='Layout: 10 s/day on 256 processors, 4 nodes of 64']").size(),
            1U);
  EXPECT_EQ(document.select_nodes("//title[starts-with(.,'ICE: 100 tasks on 2 nodes, 4 s/day')]").size(), 1U);
  EXPECT_EQ(parsed_svg(draw_timeline_svg(example_layout())).select_nodes("//path[@stroke-dasharray]").size(),
            0U);
}

TEST(TimelineSvg, DrawsUnusualLayouts) {
  for (const Solution& solution : awkward_layouts()) {
    const std::string svg = draw_timeline_svg(solution, "<unit>&");
    parsed_svg(svg);
    EXPECT_THAT(svg, Not(HasSubstr("=\"nan")));
    EXPECT_THAT(svg, Not(HasSubstr("=\"-nan")));
    EXPECT_THAT(svg, Not(HasSubstr("=\"inf")));
    EXPECT_THAT(svg, Not(HasSubstr("<unit>")));
  }
}

TEST(TimelineSvg, DrawsEveryComponent) {
  for (const Solution& solution : awkward_layouts()) {
    if (solution.places.empty() || solution.places[0].component != "C0") continue;
    const std::string svg = draw_timeline_svg(solution);
    for (const Place& place : solution.places) EXPECT_THAT(svg, HasSubstr(">" + place.component + ": "));
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
