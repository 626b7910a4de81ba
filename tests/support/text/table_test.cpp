#include <gtest/gtest.h>

#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("µs"), 2U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining acute accent
  EXPECT_EQ(display_width("大船"), 4U);
  EXPECT_EQ(display_width("🚢"), 2U);
  EXPECT_EQ(display_width("\x1b[1;31mred\x1b[0m"), 3U);
  EXPECT_EQ(display_width("\xFF\xFE"), 2U);
  EXPECT_EQ(display_width("\x1b[1"), 3U);
}

TEST(TextTable, AlignsNumbersRightAndTextLeft) {
  TextTable table({{"strategy"}, {"time", TextTable::Align::right}, {"note"}});
  table.add_row({"GreedyLB", "12.5 µs", "fast"});
  table.add_row({"大", "3 s"});
  table.add_rule();
  table.add_row({"all", "4 s", ""});
  EXPECT_EQ(table.to_string(),
            "strategy     time  note\n"
            "--------  -------  ----\n"
            "GreedyLB  12.5 µs  fast\n"
            "大            3 s\n"
            "--------  -------  ----\n"
            "all           4 s\n");
}

TEST(TextTable, EscapesControlCharactersOfCells) {
  TextTable table({{"host"}, {"ranks"}});
  table.add_row({"a\nvalid: 0 errors", "\x1b[2J"});
  table.add_row({"\x1b[1mb\x1b[8m\x1b[0m", "1"});
  EXPECT_EQ(table.to_string(),
            "host               ranks\n"
            "-----------------  -----\n"
            "a?valid: 0 errors  ?[2J\n"
            "\x1b[1mb?[8m\x1b[0m              1\n");
}

}  // namespace
}  // namespace plimsoll::support
