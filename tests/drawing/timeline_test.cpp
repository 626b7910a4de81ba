#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/drawing/timeline.hpp>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Timeline, UsesLabelsOfCaller) {
  const Timeline timeline{
      .title = "Two jobs",
      .x_label = "nodes",
      .time_unit = "h",
      .boxes = {{.name = "A", .description = "job A", .left = 0, .right = 4, .bottom = 2},
                {.name = "B", .description = "job B", .left = 4, .right = 8, .bottom = 1}},
      .width = 8,
      .time = 2,
      .idle = 0.25};
  EXPECT_THAT(timeline_text(timeline),
              AllOf(HasSubstr("time (h)"), HasSubstr(" nodes\n"), Not(HasSubstr("processors"))));
  EXPECT_THAT(timeline_svg(timeline),
              AllOf(HasSubstr("<title>Two jobs</title>"),
                    HasSubstr("<title>job B, nodes 4 to 7, from 0 to 1 h</title>"),
                    HasSubstr("hatched: idle, 25.0 %"), Not(HasSubstr("processors"))));
}

TEST(Timeline, ShowsTextOfCallerIfEmpty) {
  const Timeline timeline{.title = "Jobs", .empty_text = "no job ran"};
  EXPECT_EQ(timeline_text(timeline), "(no job ran)\n");
  EXPECT_THAT(timeline_svg(timeline),
              AllOf(HasSubstr("<title>Jobs</title>"), HasSubstr(">no job ran</text>")));
}

}  // namespace
}  // namespace plimsoll::drawing
