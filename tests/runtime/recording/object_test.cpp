#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include <plimsoll/runtime/object.hpp>

#include "common/throws_error.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::runtime {
namespace {

TEST(ObjectNumber, IsTheNumberOfTheId) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 46) - 2}) {
    EXPECT_EQ(object_number(object_id(0, number)), number);
    EXPECT_EQ(object_number(object_id(65535, number, false)), number);
  }
}

TEST(ObjectNumber, IsEmptyForOtherIds) {
  EXPECT_EQ(object_number(ObjectId::none), std::nullopt);
  EXPECT_EQ(object_number(rank_object_id(3)), std::nullopt);
}

TEST(ObjectName, ContainsNumberAndHomeOfElements) {
  EXPECT_EQ(name_of(object_id(0, 5)), "object 5 of home rank 0 (ID 1572867)");  // 3 + (6 << 18)
  EXPECT_EQ(name_of(object_id(2, 0, false)), "object 0 of home rank 2 (ID 262154)");
  EXPECT_EQ(name_of(ObjectId{7}), "object 7") << "a plain number";
}

}  // namespace

namespace {

TEST(UserValues, FormOneJsonObjectInAlphabeticalOrder) {
  UserValues values;
  EXPECT_EQ(values.to_json(), "{}");
  values.set("b", std::int64_t{-3});
  values.set("a", 1.0);
  values.set("c", "text");
  values.set("B", 0.1);
  EXPECT_EQ(values.to_json(), R"({"B":0.1,"a":1.0,"b":-3,"c":"text"})");
}

TEST(UserValues, KeepOneValuePerName) {
  UserValues values;
  values.set("a", 1.0);
  values.set("a", "later");
  EXPECT_EQ(values.to_json(), R"({"a":"later"})");
  values.remove("b");
  EXPECT_FALSE(values.empty());
  values.remove("a");
  EXPECT_TRUE(values.empty());
}

TEST(UserValues, AcceptAnyNamesAndTexts) {
  UserValues values;
  values.set("quote\"\\\n", std::string("\x01\x00/\t\"", 5));
  values.set("", "grün");
  values.set("z\xff", "\xc3");
  EXPECT_EQ(values.to_json(),
            "{\"\":\"grün\",\"quote\\\"\\\\\\n\":\"\\u0001\\u0000/\\t\\\"\",\"z\uFFFD\":\"\uFFFD\"}");
}

TEST(UserValues, KeepAllBitsOfIntegers) {
  UserValues values;
  values.set("max", std::numeric_limits<std::int64_t>::max());
  values.set("min", std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(values.to_json(), R"({"max":9223372036854775807,"min":-9223372036854775808})");
}

TEST(UserValues, CanBeArrays) {
  UserValues values;
  values.set_array("a", std::vector{1.0, -0.5});
  values.set_array("empty", {});
  EXPECT_EQ(values.to_json(), R"({"a":[1.0,-0.5],"empty":[]})");
  EXPECT_ERROR(values.set_array("a", std::vector{1.0, std::numeric_limits<double>::infinity()}), usage,
               "\"a\": JSON cannot represent inf");
}

TEST(UserValues, FormatAnAdditionalArray) {
  UserValues values;
  EXPECT_EQ(values.to_json_with("b", std::array{1.5, -2.0}), R"({"b":[1.5,-2.0]})");
  values.set("a", 1.0);
  values.set("c", "text");
  EXPECT_EQ(values.to_json_with("b", std::array{1.5}), R"({"a":1.0,"b":[1.5],"c":"text"})");
  EXPECT_EQ(values.to_json_with("c", std::array{1.5}), R"({"a":1.0,"c":[1.5]})");
  EXPECT_EQ(values.to_json_with("d", {}), R"({"a":1.0,"c":"text","d":[]})");
  EXPECT_EQ(values.to_json(), R"({"a":1.0,"c":"text"})");
  EXPECT_ERROR(values.to_json_with("b", std::array{std::nan("")}), usage, "JSON cannot represent nan");
}

TEST(UserValues, GetMissingValuesFromOthers) {
  UserValues values;
  values.set("a", 1.0);
  values.set("c", 2.0);
  UserValues other;
  other.set("b", 3.0);
  other.set("c", 4.0);
  other.set("d", 5.0);
  values.add_missing(other);
  EXPECT_EQ(values.to_json(), R"({"a":1.0,"b":3.0,"c":2.0,"d":5.0})");
  values.set("b", 6.0);
  EXPECT_EQ(values.to_json(), R"({"a":1.0,"b":6.0,"c":2.0,"d":5.0})");
}

TEST(UserValues, RejectNonFiniteNumbers) {
  UserValues values;
  values.set("a", 1.0);
  EXPECT_ERROR(values.set("a", std::numeric_limits<double>::infinity()), usage,
               "\"a\": JSON cannot represent inf");
  EXPECT_ERROR(values.set("b", std::numeric_limits<double>::quiet_NaN()), usage, "nan");
  EXPECT_EQ(values.to_json(), R"({"a":1.0})");
}

}  // namespace
}  // namespace plimsoll::runtime
