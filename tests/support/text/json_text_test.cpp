#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

std::string text_of(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

std::string quoted(std::string_view text) {
  std::string output;
  append_json_string(output, text);
  return output;
}

// Expected texts are output of nlohmann::json 3.11.
TEST(DoubleText, HasFormatOfNlohmannJson) {
  EXPECT_EQ(text_of(0.0), "0.0");
  EXPECT_EQ(text_of(-0.0), "-0.0");
  EXPECT_EQ(text_of(1.0), "1.0");
  EXPECT_EQ(text_of(-3.0), "-3.0");
  EXPECT_EQ(text_of(1456.0), "1456.0");
  EXPECT_EQ(text_of(1e6), "1000000.0");
  EXPECT_EQ(text_of(123456.75), "123456.75");
  EXPECT_EQ(text_of(1e14), "100000000000000.0");
  EXPECT_EQ(text_of(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(text_of(1e15), "1e+15");
  EXPECT_EQ(text_of(1.5e15), "1.5e+15");
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.0001), "0.0001");
  EXPECT_EQ(text_of(0.00031375000025946065), "0.00031375000025946065");
  EXPECT_EQ(text_of(0.00001), "1e-05");
  EXPECT_EQ(text_of(1.041999894368928e-06), "1.041999894368928e-06");
  EXPECT_EQ(text_of(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(text_of(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(DoubleText, WritesNullForNonFiniteNumbers) {
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "null");
}

TEST(DoubleText, RoundTripsAndNeverLooksLikeInteger) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200000; ++k) {
    const std::uint64_t bits = random();
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (k % 2 == 0) value = static_cast<double>(bits >> 30) * 1e-9;
    if (!(value - value == 0)) continue;
    const std::string text = text_of(value);
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    ASSERT_NE(text.find_first_of(".e"), std::string::npos) << text;
    ASSERT_LE(text.size(), max_double_chars) << text;
  }
}

TEST(JsonString, EscapesRequiredAndUnprintableCharacters) {
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("cpu"), "\"cpu\"");
  EXPECT_EQ(quoted("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
  EXPECT_EQ(quoted("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\\u007f\"");
  EXPECT_EQ(quoted("\xC2\x9B\u202E\u2028"), "\"\\u009b\\u202e\\u2028\"");
  EXPECT_EQ(quoted("Größe 大 🚢"), "\"Größe 大 🚢\"");
}

TEST(JsonString, WritesUtf8ForAnyInput) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(quoted("a\xFFz"), "\"a" + mark + "z\"");
  EXPECT_EQ(quoted("\xC3"), "\"" + mark + "\"");                                   // truncated
  EXPECT_EQ(quoted("\xC0\xAF"), "\"" + mark + mark + "\"");                        // overlong
  EXPECT_EQ(quoted("\xED\xA0\x80"), "\"" + mark + mark + mark + "\"");             // surrogate
  EXPECT_EQ(quoted("\xF4\x90\x80\x80"), "\"" + mark + mark + mark + mark + "\"");  // beyond U+10FFFF
}

}  // namespace

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
