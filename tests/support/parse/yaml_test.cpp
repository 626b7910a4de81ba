#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <plimsoll/support/internal/yaml.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {
namespace {

std::size_t key_count(std::string_view text) {
  return parse_yaml(text, "conf.yaml").size();
}

void expect_failure(std::string_view text, std::uint64_t line, const std::string& what) {
  SCOPED_TRACE(text.substr(0, 200));
  const auto error = plimsoll::testing::error_of([&] { parse_yaml(text, "conf.yaml"); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "conf.yaml");
  EXPECT_EQ(error->diagnostic().line.value_or(0), line);
  EXPECT_THAT(error->diagnostic().what, ::testing::HasSubstr(what));
}

TEST(Yaml, AcceptsMapWithAnyKeys) {
  EXPECT_EQ(key_count("a: 1\nb: [2]\n? {c: d}\n: e\n"), 3U);
  EXPECT_EQ(key_count("%YAML 1.2\n---\na: |\n  x\n...\n"), 1U);
  EXPECT_EQ(key_count("\xEF\xBB\xBF"
                      "a: 1\r\nb: 2"),
            2U);  // accepts a byte order mark
  EXPECT_EQ(parse_yaml("a: \"b\"", "")["a"].Scalar(), "b");
}

TEST(Yaml, AcceptsEmptyText) {
  EXPECT_EQ(key_count(""), 0U);
  EXPECT_EQ(key_count("# nothing\n\n"), 0U);
  EXPECT_EQ(key_count("---\n"), 0U);
  EXPECT_EQ(key_count("{}"), 0U);
}

TEST(Yaml, ReportsLineOfInvalidYaml) {
  expect_failure("a:\n  b: true\n c: false\n", 3, "not YAML");
  expect_failure("a: [1, 2\n", 3, "not YAML");
  expect_failure("a: *nowhere\n", 1, "not YAML");
  expect_failure("a: b\nc: \"d\n", 4, "not YAML: the document ends within quotes");
  expect_failure("a: 'b", 2, "not YAML: the document ends within quotes");
  expect_failure("a: 1\nb: \x04\n", 2, "invalid character 0x04");
  expect_failure(std::string_view("a: 1\0", 5), 1, "invalid character 0x00");
}

TEST(Yaml, RejectsSecondDocument) {
  expect_failure("a: 1\n---\nb: 2\n", 2, "unexpected text after the end of the YAML document");
  expect_failure("[]\n[]\n", 2, "unexpected text after the end of the YAML document");
  // YAML::LoadAll() would find endless documents in this text.
  expect_failure(", a: b\n", 1, "unexpected text after the end of the YAML document");
}

std::string repeated(std::string_view piece, std::size_t size) {
  std::string text;
  while (text.size() + piece.size() <= size) text += piece;
  return text;
}

TEST(Yaml, LimitsSizeAndNesting) {
  const std::string comment = repeated("#", 1 << 20);
  EXPECT_EQ(key_count(comment), 0U);
  expect_failure(comment + "x", 0, "too large for a YAML file: 1.0 MiB");
  expect_failure(repeated("[", 1 << 20), 0, "nested too deeply");
  for (const char* piece : {"{", "- ", "? ", "{a: [", "&a ", "[]", "---\n"})
    EXPECT_ERROR(key_count(repeated(piece, 1 << 20)), bad_input, "conf.yaml");
}

// A text truncated anywhere, or with any byte replaced or inserted, is either read or rejected with an Error.
TEST(Yaml, ReadsOrRejectsDamagedText) {
  const std::string text =
      "%YAML 1.2\n--- # config\nOther: &x {a: !!str b, c: [d, 'e', \"f\\n\"]}\n? >-\n  long\n  key\n: |\n  "
      "text\n"
      "Load Balancing:\n  Quiet: yes\n  LB Data Output: {Enabled: on, File: \"x.%p\"}\n  LB Statistics:\n"
      "    Frequency: 12\n...\n";
  ASSERT_EQ(key_count(text), 3U);
  std::size_t refused = 0;
  const auto read = [&](const std::string& damaged) {
    const auto error = plimsoll::testing::error_of([&] { key_count(damaged); });
    if (!error) return;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    ++refused;
  };
  for (std::size_t size = 0; size < text.size(); ++size) read(text.substr(0, size));
  for (std::size_t position = 0; position < text.size(); ++position) {
    for (const char byte : std::string("\0\x04\n\t \"'[]{}:,&*!|>%@-?#~<\xFF\xC3", 27)) {
      std::string damaged = text;
      damaged[position] = byte;
      read(damaged);
      read(text.substr(0, position) + byte + text.substr(position));
    }
  }
  EXPECT_GT(refused, 1000U);
}

// The expanded content of an alias counts, because readers visit it each time.
TEST(Yaml, LimitsNumberOfValues) {
  EXPECT_EQ(key_count("a: &a [1, 2]\nb: [*a, *a]\n"), 2U);
  const std::string list = "a: &a [" + repeated("1, ", 2'997) + "1]\n";
  EXPECT_EQ(key_count(list + "b: [" + repeated("*a, ", 200) + "]\n"), 2U);
  expect_failure(list + "b:\n" + repeated("- *a\n", 505), 102, "more than 100000 values");
  expect_failure("[" + repeated("1,", 200'002) + "]", 1, "more than 100000 values");
  std::string doubled = "a0: &a0 [1, 1]\n";
  for (int k = 1; k < 60; ++k) doubled += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", k, k - 1);
  expect_failure(doubled, 15, "more than 100000 values");
  expect_failure("a: &a [*a]\n", 1, "refers to a value that contains it");
}

}  // namespace
}  // namespace plimsoll::support
