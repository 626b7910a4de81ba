#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

struct Pieces {
  std::vector<std::string> all;
  TextBuffer buffer{[this](std::string_view piece) { all.emplace_back(piece); }};

  std::string text() {
    buffer.drain();
    std::string text;
    for (const std::string& piece : all) text += piece;
    return text;
  }
};

TEST(TextBuffer, CollectsTextsAndNumbers) {
  Pieces pieces;
  pieces.buffer.append("ranks ");
  pieces.buffer.append(64);
  pieces.buffer.append(" ");
  pieces.buffer.append(std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(pieces.all.empty());
  EXPECT_EQ(pieces.text(), "ranks 64 -9223372036854775808");
  EXPECT_EQ(pieces.all.size(), 1U);
}

TEST(TextBuffer, AppendsToReservedSpace) {
  Pieces pieces;
  pieces.buffer.make_room(3 + 3 * TextBuffer::number_room);
  pieces.buffer.put("[");
  pieces.buffer.put_double(0.5);
  pieces.buffer.put(",");
  pieces.buffer.put_integer(7);
  pieces.buffer.put("]");
  EXPECT_EQ(pieces.text(), "[0.5,7]");
}

TEST(TextBuffer, WritesNullForNonFiniteNumbers) {
  Pieces pieces;
  pieces.buffer.make_room(3 * TextBuffer::number_room);
  pieces.buffer.put_double(std::numeric_limits<double>::infinity());
  pieces.buffer.put_double(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(pieces.text(), "nullnull");
}

TEST(TextBuffer, FlushesWhenFull) {
  Pieces pieces;
  std::string expected;
  while (expected.size() < 3 * TextBuffer::capacity) {
    pieces.buffer.append(expected.size());
    pieces.buffer.append(" bytes\n");
    expected += std::to_string(expected.size()) + " bytes\n";
  }
  EXPECT_GE(pieces.all.size(), 2U);
  EXPECT_EQ(pieces.text(), expected);
}

TEST(TextBuffer, ForwardsLongTextInOnePiece) {
  Pieces pieces;
  const std::string text(TextBuffer::capacity + 1, 'x');
  pieces.buffer.append("a");
  pieces.buffer.append(text);
  EXPECT_EQ(pieces.all, (std::vector<std::string>{"a", text}));
}

TEST(TextBuffer, NeverSendsTextTwiceToFailingSink) {
  std::string got;
  TextBuffer buffer([&](std::string_view piece) {
    got += piece;
    if (got == "a") throw 1;
  });
  buffer.append("a");
  EXPECT_THROW(buffer.drain(), int);
  buffer.append("b");
  buffer.drain();
  EXPECT_EQ(got, "ab");
}

}  // namespace
}  // namespace plimsoll::support
