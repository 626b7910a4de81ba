#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

TEST(JsonWriter, SeparatesValuesWithCommas) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("empty").begin_array().end_array().key("list").begin_array();
  json.value(1).value(2.0).begin_object().end_object().begin_array().value("x").end_array().null();
  json.end_array()
      .member("truth", true)
      .key("raw")
      .raw("{\"a\":1}")
      .member("last", std::string("z"))
      .end_object();
  EXPECT_EQ(text, R"({"empty":[],"list":[1,2.0,{},["x"],null],"truth":true,"raw":{"a":1},"last":"z"})");
}

TEST(JsonWriter, WritesLists) {
  std::string text;
  JsonWriter json(text);
  json.begin_object()
      .key("numbers")
      .values(std::vector<std::uint32_t>{1, 2})
      .key("texts")
      .values(std::vector<std::string>{"a"})
      .key("empty")
      .values(std::vector<double>())
      .end_object();
  EXPECT_EQ(text, R"({"numbers":[1,2],"texts":["a"],"empty":[]})");
}

TEST(JsonWriter, WritesEveryKindOfNumber) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  json.value(std::numeric_limits<std::int64_t>::min()).value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::int8_t{-1}).value(std::uint8_t{200}).value(0.5F).value(1e6);
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.end_array();
  EXPECT_EQ(text, "[-9223372036854775808,18446744073709551615,-1,200,0.5,1000000.0,null]");
}

TEST(JsonWriter, EscapesKeysAndTexts) {
  std::string text;
  JsonWriter(text).begin_object().member("a\"b", "c\nd").end_object();
  EXPECT_EQ(text, R"({"a\"b":"c\nd"})");
}

}  // namespace
}  // namespace plimsoll::support
