#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include <plimsoll/pelayout/graphs.hpp>
#include <plimsoll/support/internal/format.hpp>

#include "pelayout/drawing/layouts_to_draw.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

TEST(DrawTimeline, DrawsDocumentedLayout) {
  EXPECT_EQ(draw_timeline(documented_layout(), {.width = 56, .height = 8, .ascii = true}),
            "time (s/day)\n"
            " 0  ___________________________________________________\n"
            "   |        ICE        |      LND      |               |\n"
            "   |      6 tasks      |    5 tasks    |               |\n"
            "   |      8 s/day      |    7 s/day    |      OCN      |\n"
            " 8 |___________________|_______________|    5 tasks    |\n"
            "   |                ATM                |   16 s/day    |\n"
            "   |             11 tasks              |               |\n"
            "   |              8 s/day              |               |\n"
            "16 |___________________________________|_______________|\n"
            "   0                   6              11              16\n"
            "                        processors\n"
            "... idle: 2.0 %\n");
}

TEST(DrawTimeline, JoinsLinesWithBoxDrawingCharacters) {
  const auto drawn = lines(draw_timeline(documented_layout(), {.width = 40, .height = 8}));
  EXPECT_EQ(drawn[1], " 0 ┌─────────────┬──────────┬──────────┐");
  EXPECT_EQ(drawn[5], " 8 ├─────────────┴──────────┤ 5 tasks  │");
  EXPECT_EQ(drawn[9], "16 └────────────────────────┴──────────┘");
}

TEST(DrawTimeline, KeepsProportions) {
  const auto drawn = lines(draw_timeline(documented_layout(), {.width = 103, .height = 32, .ascii = true}));
  EXPECT_TRUE(drawn[1].starts_with(" 0 "));
  EXPECT_TRUE(drawn[1 + 14].starts_with(" 7 "));
  EXPECT_TRUE(drawn[1 + 16].starts_with(" 8 "));
  EXPECT_TRUE(drawn[1 + 32].starts_with("16 "));
  EXPECT_NEAR(double(drawn[3].find('|', 4)), 3 + 6.0 / 16 * 99, 1);
  EXPECT_NEAR(double(drawn[3 + 16].find('|', 4)), 3 + 11.0 / 16 * 99, 1);
}

TEST(DrawTimeline, HatchesIdleTime) {
  Solution half = {
      .time = 10, .processors = 20, .places = {placed("ATM", 10, 0, 0, 10), placed("OCN", 10, 10, 0, 5)}};
  const auto drawn = lines(draw_timeline(half, {.width = 40, .height = 8, .ascii = true}));
  EXPECT_THAT(drawn[1 + 7], HasSubstr("|.................|"));
  EXPECT_THAT(drawn[1 + 3], Not(HasSubstr("..")));
  EXPECT_EQ(drawn.back(), "... idle: 25.0 %");
  half.places[1] = placed("OCN", 10, 10, 0, 10);
  EXPECT_THAT(draw_timeline(half), Not(HasSubstr("idle")));
}

TEST(DrawTimeline, ListsLabelsThatDoNotFitBelowDrawing) {
  const std::string drawn = draw_timeline(example_layout());
  EXPECT_THAT(drawn, HasSubstr("ICE 872 tasks, 1.376 s/day"));
  EXPECT_THAT(drawn, HasSubstr("│O│"));  // vertical label
  EXPECT_THAT(drawn, HasSubstr("\nLND: 120 tasks, 1.316 s/day\nOCN: 32 tasks, 15.74 s/day\n"));
}

TEST(DrawTimeline, LabelsTinyBoxesWithLetters) {
  Solution solution = {.time = 1000.3,
                       .processors = 1000000,
                       .places = {placed("ATM", 1000000, 0, 0, 1000), placed("ROF", 8, 0, 1000, 0.3)}};
  const std::string drawn = draw_timeline(solution);
  EXPECT_THAT(drawn, HasSubstr("│a│░"));
  EXPECT_THAT(drawn, HasSubstr("\na = ROF: 8 tasks, 0.3 s/day\n"));
}

TEST(DrawTimeline, ReportsThreadsOverheadAndComponentsWithoutTime) {
  Solution solution = {
      .time = 11, .processors = 64, .places = {placed("ATM", 16, 0, 0, 10), placed("GLC", 1, 0, 10, 0)}};
  solution.places[0].threads = 4;
  solution.places[0].processors = 64;
  const std::string drawn = draw_timeline(solution, {}, "s");
  EXPECT_THAT(drawn, HasSubstr("16 tasks x 4 threads"));
  EXPECT_THAT(drawn, HasSubstr("\nGLC: 1 task, 0 s\n"));
  EXPECT_THAT(drawn, HasSubstr("\nafter 10 s: overhead and wait of the layout\n"));
}

TEST(DrawTimeline, MarksNodeBorders) {
  const std::string drawn = draw_timeline(layout_on_nodes(), {.width = 72});
  EXPECT_THAT(drawn, HasSubstr("\n┬   node borders\n"));
  // The frame below the boxes has a tick at each of the three borders between the four nodes.
  const std::size_t axis = drawn.rfind("└");
  const std::string frame = drawn.substr(axis, drawn.find('\n', axis) - axis);
  std::size_t ticks = 0;
  for (const std::string tick : {"┬", "┼"})
    for (std::size_t at = frame.find(tick); at != std::string::npos; at = frame.find(tick, at + 1)) ++ticks;
  EXPECT_EQ(ticks, 3U) << frame;
  EXPECT_THAT(draw_timeline(layout_on_nodes(), {.ascii = true}), HasSubstr("\n|   node borders\n"));
  EXPECT_THAT(draw_timeline(example_layout()), Not(HasSubstr("node")));
}

TEST(DrawTimeline, MarksFewerBordersOfManyNodes) {
  Solution solution = example_layout();
  solution.nodes = {.tasks_per_node = 8};
  // 128 nodes on at most 60 columns, with at least 3 columns between two borders.
  EXPECT_THAT(draw_timeline(solution, {.width = 66}), HasSubstr("\n┬   node borders (1 in 8)\n"));
}

TEST(DrawTimeline, ReportsEmptyLayout) {
  EXPECT_EQ(draw_timeline({}), "(no component takes any time)\n");
}

TEST(DrawTimeline, DrawsUnusualLayoutsWithinWidth) {
  for (const Solution& solution : awkward_layouts())
    for (const bool ascii : {false, true})
      for (const std::size_t width : {0U, 51U, 72U, 100000U})
        for (const std::size_t height : {0U, 16U, 100000U}) {
          const std::string text =
              draw_timeline(solution, {.width = width, .height = height, .ascii = ascii});
          EXPECT_THAT(text, Not(HasSubstr("\x1b")));
          for (const std::string& line : lines(text)) {
            EXPECT_LE(support::display_width(line), std::clamp<std::size_t>(width, 32, 400)) << line;
            EXPECT_FALSE(line.ends_with(' ')) << line;
          }
        }
}

TEST(DrawTimeline, DrawsEveryComponent) {
  for (const Solution& solution : awkward_layouts()) {
    if (solution.places.empty() || solution.places[0].component != "C0") continue;
    const std::string text = draw_timeline(solution);
    for (const Place& place : solution.places)
      EXPECT_THAT(text, ::testing::ContainsRegex(place.component + "[^0-9]"));
  }
}

}  // namespace
}  // namespace plimsoll::pelayout
