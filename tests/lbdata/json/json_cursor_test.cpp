#include "lbdata/json/json_cursor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "lbdata/json/json_position.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {
namespace {

TEST(DataFileFormat, RecognisesJsonObject) {
  for (const char* text : {"{}", " {\n}", "\t{ \"a\":1}", "{", "{\n"})
    EXPECT_TRUE(begins_json_object(text)) << text;
  for (const char* text : {"", " ", "[{}]", "\"{}\"", "{a", "{[", "\xEF\xBB\xBF{}", "{\x01\x80"})
    EXPECT_FALSE(begins_json_object(text)) << text;
}

TEST(DataFileFormat, SuggestsCorrection) {
  std::string buffer(100, '\0');
  support::TextSource damaged("\x0b\x02\x80", "f", data_file_format);
  EXPECT_ERROR(damaged.read(buffer.data(), buffer.size()), bad_input, "copy it again");
  support::TextSource text("[1, 2]", "f", data_file_format);
  EXPECT_ERROR(text.read(buffer.data(), buffer.size()), bad_input,
               "f: is neither a JSON object nor a brotli stream; check that it begins with '{' and has no "
               "byte order mark");
}

}  // namespace

namespace {

/// Returns whether the cursor accepts a text as exactly one JSON value.
bool accepts(const std::string& value) {
  const std::string text = "{\"v\":" + value + "}";
  support::TextSource source(text, "text", data_file_format);
  JsonCursor cursor(source);
  const auto error = plimsoll::testing::error_of([&] {
    cursor.raw_value();
    cursor.expect_end();
  });
  return !error && !cursor.duplicate_name();
}

JsonNumber number(const std::string& text) {
  const std::string object = "{\"v\":" + text + "}";
  support::TextSource source(object, "text", data_file_format);
  JsonCursor cursor(source);
  cursor.expect('{', "an object");
  cursor.string();
  cursor.expect(':', "a colon");
  cursor.peek();
  const JsonNumber number = cursor.number();
  cursor.expect('}', "the end");
  return number;
}

TEST(JsonCursor, AcceptsTextsThatRfc8259Allows) {
  for (const char* text : {"0", "-0", "10", "-1.5", "1e5", "1E+5", "1.25e-7", "true", "false", "null", "\"\"",
                           R"("a\"b\\c\/\b\f\n\r\t\u00e9\ud83d\ude00")", "[]", "[1,2]", "{}",
                           "{\"a\":{\"b\":[]}}", " [ 1 , 2 ] ", "\"\xc3\xa9\""}) {
    EXPECT_TRUE(accepts(text)) << text;
  }
}

TEST(JsonCursor, RejectsTextsThatRfc8259Forbids) {
  for (const char* text : {"01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "0x1",
                           "tru",
                           "True",
                           "nul",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12g4\"",
                           "\"\\ud83d\"",
                           "\"\\ude00\"",
                           "[1,]",
                           "[1 2]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "{\"a\":1,}",
                           "{\"a\":1,\"a\":2}",
                           "{\"a\":1,\"\\u0061\":2}",
                           "\"\xff\"",
                           "\"\xc3\"",
                           "\"\x01\"",
                           "'a'",
                           "[1}",
                           "",
                           "1 2"}) {
    EXPECT_FALSE(accepts(text)) << text;
  }
}

TEST(JsonCursor, DistinguishesIntegersFromFractions) {
  EXPECT_EQ(number("7").kind, JsonNumber::Kind::integer);
  EXPECT_EQ(number("7.0").kind, JsonNumber::Kind::fraction);
  EXPECT_EQ(number("7e0").kind, JsonNumber::Kind::fraction);
  EXPECT_EQ(number("NaN").kind, JsonNumber::Kind::not_finite);
  EXPECT_EQ(number("-Infinity").kind, JsonNumber::Kind::not_finite);
  EXPECT_EQ(number("1e400").kind, JsonNumber::Kind::not_finite);
  EXPECT_EQ(number("1e-400").value, 0.0);
  EXPECT_EQ(number("0.0e999999999999").value, 0.0);
}

TEST(JsonCursor, ReadsIntegersUpTo64Bits) {
  EXPECT_EQ(number("18446744073709551615").integer.bits, std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(number("18446744073709551615").exceeds_64_bits);
  EXPECT_TRUE(number("18446744073709551616").exceeds_64_bits);
  EXPECT_EQ(number("-9223372036854775808").integer, (WideInteger{std::uint64_t{1} << 63, true}));
  EXPECT_TRUE(number("-9223372036854775809").exceeds_64_bits);
  EXPECT_TRUE(number("123456789012345678901234567890").exceeds_64_bits);
  EXPECT_EQ(number("-0").integer, (WideInteger{0, false}));
}

TEST(JsonCursor, ReadsSameDoublesAsSimdjson) {
  std::mt19937_64 random(1);
  simdjson::dom::parser parser;
  for (int i = 0; i < 20000; ++i) {
    double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, i % 3 == 0 ? "%.17g" : i % 3 == 1 ? "%.6e" : "%.12g", value);
    if (std::string_view(text).find_first_of(".e") == std::string_view::npos) continue;
    const double expected = parser.parse(std::string(text)).get_double();
    EXPECT_EQ(std::bit_cast<std::uint64_t>(number(text).value), std::bit_cast<std::uint64_t>(expected))
        << text;
  }
}

TEST(JsonCursor, ReadsTokensAcrossWindowBoundaries) {
  // Strings, numbers and names with all alignments, spread over several windows of 64 KiB.
  std::string text = "[";
  std::mt19937 random(2);
  std::vector<std::string> values;
  while (text.size() < 400000) {
    std::string value = random() % 2 == 0 ? "\"" + std::string(random() % 60, 'x') + "\\n\""
                                          : std::to_string(random()) + ".5";
    if (random() % 1000 == 0) value = "\"" + std::string(150000, 'y') + "\\n\"";
    values.push_back(value);
    text += value + (random() % 2 == 0 ? " , " : ",");
  }
  text += "0]";
  const std::string object = "{\"v\":" + text + "}";
  support::TextSource source(object, "text", data_file_format);
  JsonCursor cursor(source);
  cursor.expect('{', "");
  cursor.string();
  cursor.expect(':', "");
  cursor.expect('[', "");
  for (const std::string& value : values) {
    if (value[0] == '"') {
      ASSERT_TRUE(cursor.string() == value.substr(1, value.size() - 4) + "\n") << value.substr(0, 60);
    } else {
      cursor.peek();
      ASSERT_EQ(cursor.number().value, std::stod(value));
    }
    cursor.expect(',', "','");
  }
}

TEST(JsonCursor, ReturnsRawValueUnchanged) {
  const std::string value = R"({"z" : [1, 2.50, "\u00e9", {"a":null}],  "n":-0})";
  const std::string text = "{\"v\": " + value + " }";
  support::TextSource source(text, "text", data_file_format);
  JsonCursor cursor(source);
  cursor.expect('{', "");
  cursor.string();
  cursor.expect(':', "");
  EXPECT_EQ(cursor.raw_value(), value);
}

TEST(JsonCursor, LimitsNesting) {
  EXPECT_TRUE(accepts(std::string(200, '[') + std::string(200, ']')));
  EXPECT_FALSE(accepts(std::string(100000, '[') + std::string(100000, ']')));
}

TEST(JsonCursor, FindsDuplicateAmongManyNames) {
  std::string object = "{";
  for (int i = 0; i < 1000; ++i) object += "\"name" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(accepts(object + "\"other\":0}"));
  EXPECT_FALSE(accepts(object + "\"name500\":0}"));
}

TEST(JsonCursor, ReportsPositionAndErrorText) {
  const std::string text = "{\"a\": 1 \"b\": 2}";
  support::TextSource source(text, "file.json", data_file_format);
  JsonCursor cursor(source);
  EXPECT_ERROR(cursor.raw_value(), bad_input, "file.json (byte 8): expected ',' or '}', found '\"'");
}

}  // namespace
}  // namespace plimsoll::lbdata
