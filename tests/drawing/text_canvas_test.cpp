#include "drawing/text_canvas.hpp"

#include <gtest/gtest.h>

namespace plimsoll::PLIMSOLL_ABI::drawing {
namespace {

TEST(Shortened, TruncatesToColumns) {
  EXPECT_EQ(shortened("layout", 6), "layout");
  EXPECT_EQ(shortened("layout", 5), "layo…");
  EXPECT_EQ(shortened("layout", 5, true), "layo~");
  EXPECT_EQ(shortened("layout", 1), "…");
  EXPECT_EQ(shortened("layout", 0), "");
  EXPECT_EQ(shortened("Größe", 4), "Grö…");
  EXPECT_EQ(shortened("日本語", 5), "日本…");
  EXPECT_EQ(shortened("日本語", 4), "日…");
}

TEST(Shortened, RemovesSequencesThatMoveTheCursor) {
  EXPECT_EQ(shortened("a\nb\x1b[2J\xff", 20), "a?b?[2J?");
}

TEST(TextCanvas, ClipsTextAtItsEdges) {
  TextCanvas canvas(4, 2);
  canvas.write(0, 2, "abc");
  canvas.write(2, 0, "x");
  canvas.write(1, 9, "x");
  EXPECT_EQ(canvas.to_string(), "  ab\n\n");
}

TEST(TextCanvas, SupportsWideAndCombiningCharacters) {
  TextCanvas canvas(5, 1);
  canvas.write(0, 0, "語e\u0301");
  canvas.write(0, 3, "語");
  EXPECT_EQ(canvas.to_string(), "語e\u0301語\n");
}

TEST(TextCanvas, KeepsLabelsSeparate) {
  TextCanvas canvas(12, 1);
  EXPECT_TRUE(canvas.write_where_free(0, 0, "100"));   // as close to column 0 as the edge allows
  EXPECT_FALSE(canvas.write_where_free(0, 4, "200"));  // would touch the first label
  EXPECT_TRUE(canvas.write_where_free(0, 5, "200"));
  EXPECT_TRUE(canvas.write_where_free(0, 11, "1k"));
  EXPECT_FALSE(canvas.write_where_free(0, 9, "zz"));  // too close to the next label
  EXPECT_FALSE(canvas.write_where_free(0, 5, "longer than the line"));
  EXPECT_EQ(canvas.to_string(), "100 200   1k\n");
}

}  // namespace
}  // namespace plimsoll::drawing
