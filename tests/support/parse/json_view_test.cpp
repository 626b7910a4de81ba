#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include <plimsoll/support/json_view.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view document = R"({
  "name": "ATM", "count": 3, "cost": 2.5, "large": 18446744073709551615, "works": true, "nothing": null,
  "a/b~c": {"list": [1, "two", {"deep": -1}]}, "twice": 1, "twice": 2})";

class Document : public ::testing::Test {
 protected:
  JsonParser parser_{"problem.json"};
  JsonView root_ = parser_.parse(document);
};

TEST_F(Document, ReturnsValuesOfEachType) {
  EXPECT_EQ(root_.at("name").text(), "ATM");
  EXPECT_EQ(root_.at("cost").number(), 2.5);
  EXPECT_EQ(root_.at("count").number(), 3.0);
  EXPECT_EQ(root_.at("count").whole_number(1, 3), 3);
  EXPECT_EQ(root_.at("large").get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(root_.at("works").get<bool>(), true);
  EXPECT_TRUE(root_.at("nothing").is_null());
  EXPECT_TRUE(root_.is_object());
}

TEST_F(Document, ReturnsNothingForWrongType) {
  EXPECT_EQ(root_.at("name").get<double>(), std::nullopt);
  EXPECT_EQ(root_.at("count").get<std::string_view>(), std::nullopt);
  EXPECT_EQ(root_.at("cost").get<std::int64_t>(), std::nullopt);
  EXPECT_EQ(root_.at("large").get<std::int64_t>(), std::nullopt);
  EXPECT_EQ(root_.at("nothing").get<bool>(), std::nullopt);
}

TEST_F(Document, ReportsFileAndPositionOfWrongType) {
  EXPECT_ERROR(root_.at("count").text(), bad_input, "problem.json: /count: expected a string");
  EXPECT_ERROR(root_.at("name").number(), bad_input, "/name: expected a number");
  EXPECT_ERROR(root_.at("cost").whole_number(0, 9), bad_input, "/cost: expected an integer");
  EXPECT_ERROR(root_.at("name").for_each_element([](const JsonView&) {}), bad_input,
               "/name: expected an array");
  EXPECT_ERROR(root_.at("name").for_each_member([](std::string_view, const JsonView&) {}), bad_input,
               "/name: expected an object");
}

TEST_F(Document, DistinguishesArraysFromObjects) {
  EXPECT_TRUE(root_.at("a/b~c").at("list").is_array());
  EXPECT_FALSE(root_.at("a/b~c").is_array());
}

TEST_F(Document, RejectsNumbersOutOfRange) {
  EXPECT_ERROR(root_.at("count").whole_number(4, 9), bad_input, "/count: invalid value 3: expected 4 to 9");
  EXPECT_ERROR(root_.at("count").whole_number(-1, 2), bad_input, "/count: invalid value 3: expected -1 to 2");
  EXPECT_ERROR(root_.at("large").whole_number(0, 9), bad_input,
               "/large: invalid value 18446744073709551615: expected 0 to 9");
}

TEST_F(Document, ReportsMissingMembers) {
  EXPECT_ERROR(root_.at("cots"), bad_input, "problem.json: missing member \"cots\"");
  EXPECT_ERROR(root_.at("name").at("x"), bad_input, "/name: expected an object");
  EXPECT_ERROR(root_.at("a/b~c").at("x"), bad_input, "/a~1b~0c: missing member \"x\"");
  EXPECT_FALSE(root_.find("cots"));
  EXPECT_FALSE(root_.at("name").find("x"));
}

TEST_F(Document, VisitsMembersInOrder) {
  std::vector<std::string> names;
  root_.for_each_member([&](std::string_view name, const JsonView& value) {
    names.push_back(std::string(name) + " at " + value.pointer());
  });
  EXPECT_THAT(names, ElementsAre("name at /name", "count at /count", "cost at /cost", "large at /large",
                                 "works at /works", "nothing at /nothing", "a/b~c at /a~1b~0c",
                                 "twice at /twice", "twice at /twice"));
  EXPECT_EQ(root_.at("twice").number(), 1);
}

TEST_F(Document, ReportsPositionsOfElements) {
  std::vector<std::string> pointers;
  root_.at("a/b~c").at("list").for_each_element([&](const JsonView& value) {
    pointers.push_back(value.pointer());
    if (const auto deep = value.find("deep")) pointers.push_back(deep->pointer());
  });
  EXPECT_THAT(pointers,
              ElementsAre("/a~1b~0c/list/0", "/a~1b~0c/list/1", "/a~1b~0c/list/2", "/a~1b~0c/list/2/deep"));
}

TEST_F(Document, AddsPositionToErrorsOfCaller) {
  const Error error = root_.at("cost").error("is too large", "measure in seconds");
  EXPECT_STREQ(error.what(), "problem.json: /cost: is too large; measure in seconds");
  EXPECT_EQ(error.diagnostic().pointer, "/cost");
  EXPECT_EQ(root_.error("is empty").diagnostic().pointer, std::nullopt);
}

TEST(JsonParser, RejectsInvalidJson) {
  JsonParser parser("x.json");
  for (const char* text : {"", "{", "{} {}", "\xff", "nan", "[1,]", "1e400"})
    EXPECT_ERROR(parser.parse(text), bad_input, "x.json: invalid JSON: ");
  EXPECT_ERROR(parser.parse(std::string(100'000, '[')), bad_input, "invalid JSON: ");
}

TEST(JsonParser, ReadsSeveralDocumentsInTurn) {
  JsonParser parser("");
  for (int k = 0; k < 3; ++k) EXPECT_EQ(parser.parse(std::to_string(k)).whole_number(0, 2), k);
}

TEST(JsonParser, TruncatesLongNamesInPointers) {
  JsonParser parser("");
  const std::string name(1000, 'x');
  const JsonView root = parser.parse("{\"" + name + "\": {\"a\\nb\": 1}}");
  EXPECT_EQ(root.at(name).at("a\nb").pointer(), "/" + std::string(100, 'x') + "/a?b");
}

TEST(JsonParser, TruncatesPointersBetweenCharacters) {
  JsonParser parser("");
  const std::string name = std::string(99, 'x') + "ß";
  EXPECT_EQ(parser.parse("{\"" + name + "\": 1}").at(name).pointer(), "/" + std::string(99, 'x'));
}

}  // namespace
}  // namespace plimsoll::support
