#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::HasSubstr;

/// Returns each value in a text as "setting=value@line", e.g. "lb_data=true@3".
std::vector<std::string> values(std::string_view text) {
  std::vector<std::string> found;
  for (const FileValue& value : read_configuration_file(text, "conf.yaml"))
    found.push_back(fmt::format("{}={}@{}", value.setting->name, value.text, value.line));
  return found;
}

/// Returns the bad_input error for a text.
Diagnostic failure(std::string_view text) {
  const auto error = testing::error_of([&] { read_configuration_file(text, "conf.yaml"); });
  if (!error) {
    ADD_FAILURE() << "no error for: " << text.substr(0, 200);
    return {};
  }
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(error->diagnostic().file, "conf.yaml");
  return error->diagnostic();
}

void expect_failure(std::string_view text, std::uint64_t line, const std::string& what,
                    const std::string& suggestion = "") {
  SCOPED_TRACE(text.substr(0, 200));
  const Diagnostic diagnostic = failure(text);
  EXPECT_EQ(diagnostic.line, line);
  EXPECT_THAT(diagnostic.what, HasSubstr(what));
  EXPECT_THAT(diagnostic.suggestion, HasSubstr(suggestion));
}

TEST(ConfigurationFile, AcceptsKeysOfVt) {
  EXPECT_THAT(values("Load Balancing:\n"
                     "  Quiet: true\n"
                     "  Show Configuration: yes\n"
                     "  Enable Specification: on\n"
                     "  Specification File: phases.spec\n"
                     "  LB Data Output:\n"
                     "    Enabled: True\n"
                     "    Directory: out\n"
                     "    File: x.%p.json\n"
                     "  LB Data Input:\n"
                     "    Enable Compression: false\n"
                     "  LB Statistics:\n"
                     "    Enabled: false\n"
                     "    Enable Compression: off\n"
                     "    File: 's.%t'\n"
                     "    Directory: \"stat\"\n"
                     "    Frequency: 7\n"),
              ::testing::ElementsAre(
                  "lb_quiet=true@2", "lb_show_config=yes@3", "lb_spec=on@4", "lb_spec_file=phases.spec@5",
                  "lb_data=True@7", "lb_data_dir=out@8", "lb_data_file=x.%p.json@9",
                  "lb_data_compress=false@11", "lb_statistics=false@13", "lb_statistics_compress=off@14",
                  "lb_statistics_file=s.%t@15", "lb_statistics_dir=stat@16", "lb_statistics_freq=7@17"));
}

TEST(ConfigurationFile, AcceptsKeysThatVtLacks) {
  EXPECT_THAT(values("Load Balancing: {Measure CPU Time: true, Use System Clock: true, History: 0,\n"
                     "  LB Data Output: {Enable Compression: 0, Overwrite: 1, Elide Identical: 1,\n"
                     "                   On Write Error: go_on}}"),
              ::testing::ElementsAre("lb_cpu_time=true@1", "lb_system_clock=true@1", "lb_history=0@1",
                                     "lb_data_compress=0@2", "lb_data_overwrite=1@2",
                                     "lb_data_elide_identical=1@2", "lb_data_on_write_error=go_on@3"));
}

TEST(ConfigurationFile, AcceptsFilesWithoutPlimsollKeys) {
  EXPECT_TRUE(values("").empty());
  EXPECT_TRUE(values("# nothing\n\n").empty());
  EXPECT_TRUE(values("{}").empty());
  EXPECT_TRUE(values("Load Balancing: {LB Statistics: {}}").empty());
  EXPECT_TRUE(values("Output Control:\n  Quiet: [1, 2]\nTermination: ~\n").empty());
}

TEST(ConfigurationFile, KeepsOrderOfDuplicateKeys) {
  EXPECT_THAT(values("Load Balancing:\n  Quiet: true\n  Quiet: false\nLoad Balancing:\n  Quiet: 1\n"),
              ::testing::ElementsAre("lb_quiet=true@2", "lb_quiet=false@3", "lb_quiet=1@5"));
}

// Output of vt with --vt_output_config.
TEST(ConfigurationFile, AcceptsVtSettingsOfBalancing) {
  EXPECT_THAT(values("Load Balancing:\n"
                     "  Enabled: true\n"
                     "  File: \"\"\n"
                     "  Name: GreedyLB\n"
                     "  Arguments: min=0.5 auto=t\n"
                     "  Interval: 10\n"
                     "  Keep Last Element: false\n"
                     "  Enable Self Migration: no\n"
                     "  LB Data Input:\n"
                     "    Enabled: 0\n"
                     "    Directory: vt_lb_data_in\n"
                     "    File: data.%p.json\n"),
              ::testing::ElementsAre("lb=true@2", "lb_file_name=@3", "lb_name=GreedyLB@4",
                                     "lb_args=min=0.5 auto=t@5", "lb_interval=10@6",
                                     "lb_keep_last_elm=false@7", "lb_self_migration=no@8", "lb_data_in=0@10",
                                     "lb_data_dir_in=vt_lb_data_in@11", "lb_data_file_in=data.%p.json@12"));
  expect_failure("Load Balancing:\n  Enabled: perhaps\n", 2, "invalid value \"perhaps\"");
  expect_failure("Load Balancing:\n  Interval: 0\n", 2, "invalid value \"0\"", "an integer >= 1");
}

TEST(ConfigurationFile, ReportsLineOfUnknownKeyAndSuggestsKey) {
  expect_failure("Load Balancing:\n  LB Data Output:\n    Enabled: true\n    Directry: out\n", 4,
                 "unknown key \"Directry\" in section \"LB Data Output\"", "did you mean \"Directory\"?");
  expect_failure("Load Balancing:\n\n  quiett: true\n", 3,
                 "unknown key \"quiett\" in section \"Load Balancing\"", "did you mean \"Quiet\"?");
  expect_failure("Load Balancing:\n  LB Statistic:\n    Frequency: 1\n", 2, "unknown key \"LB Statistic\"",
                 "did you mean \"LB Statistics\"?");
  expect_failure("Load Balancing:\n  LB Statistics:\n    Overwrite everything: 1\n", 3, "unknown key",
                 "available keys: Directory, Enable Compression, Enabled, File, Frequency");
  expect_failure("Load Balancing:\n  LB Data Output:\n    LB Statistics: {}\n", 3,
                 "unknown key \"LB Statistics\"");
  expect_failure("Load Balancing:\n  <<: {Quiet: true}\n", 2, "unknown key \"<<\"");
  expect_failure("Output:\n  x: 1\nLoad Balancin:\n  Quiet: true\n", 3, "unknown section \"Load Balancin\"",
                 "did you mean \"Load Balancing\"?");
}

TEST(ConfigurationFile, ReportsLineOfInvalidValue) {
  expect_failure("Load Balancing:\n  Quiet: maybe\n", 2, "invalid value \"maybe\" for \"Quiet\"",
                 "true or false");
  expect_failure("Load Balancing:\n  LB Statistics:\n    Frequency: 0\n", 3,
                 "invalid value \"0\" for \"Frequency\"", "an integer >= 1");
  expect_failure("Load Balancing:\n  LB Statistics: {Frequency: 1.5}\n", 2, "invalid value \"1.5\"");
  expect_failure("Load Balancing: {History: -1}\n", 1, "invalid value \"-1\" for \"History\"", ">= 0");
  expect_failure("Load Balancing: {LB Data Output: {On Write Error: ignore}}\n", 1, "\"ignore\"",
                 "stop or go_on");
  expect_failure("Load Balancing: {LB Data Output: {Directory: \"a\\0b\"}}\n", 1, "\"a\\u0000b\"");
  expect_failure("Load Balancing: {LB Data Output: {File: ''}}\n", 1, "invalid value \"\" for \"File\"");
}

TEST(ConfigurationFile, AcceptsSingleValuesOnly) {
  expect_failure("Load Balancing:\n  Quiet:\n", 2, "invalid value for \"Quiet\": expected a single value",
                 "true or false");
  expect_failure("Load Balancing:\n  Quiet: [true]\n", 2,
                 "invalid value for \"Quiet\": expected a single value");
  expect_failure("Load Balancing:\n  Quiet: {a: b}\n", 2,
                 "invalid value for \"Quiet\": expected a single value");
  expect_failure("Load Balancing:\n  LB Data Output: {Directory: ~}\n", 2,
                 "invalid value for \"Directory\": expected a single value");
  expect_failure("Load Balancing:\n  ? [Quiet]\n  : true\n", 2, "invalid key: expected a string");
  expect_failure("? {a: b}\n: true\n", 1, "invalid key: expected a string");
}

TEST(ConfigurationFile, RequiresMapsForSections) {
  expect_failure("Load Balancing:\nLB Data Output:\n  Enabled: true\n", 1,
                 "invalid section \"Load Balancing\"");
  expect_failure("Load Balancing: [Quiet]\n", 1, "invalid section \"Load Balancing\"");
  expect_failure("Load Balancing:\n  LB Statistics: true\n", 2, "invalid section \"LB Statistics\"");
  expect_failure("- Load Balancing\n", 1, "invalid document: expected a map of sections");
  expect_failure("\njust text\n", 2, "invalid document: expected a map of sections");
}

TEST(ConfigurationFile, ReportsNameAndLineOfInvalidYaml) {
  expect_failure("Load Balancing:\n  Quiet: true\n Quiet: false\n", 3, "not YAML");
}

TEST(ConfigurationFile, TruncatesLongValuesInMessages) {
  EXPECT_LT(failure("Load Balancing: {Quiet: " + std::string(100'000, 'x') + "}").what.size(), 300U);
  EXPECT_LT(failure("Load Balancing:\n  ? " + std::string(100'000, 'x') + "\n  : y\n").what.size(), 300U);
}

// Ten levels of ten aliases each expand to 10^10 words.
TEST(ConfigurationFile, LimitsNestedAliases) {
  std::string bomb = "a0: &a0 word\n";
  for (int level = 1; level <= 10; ++level)
    bomb +=
        fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n",
                    level, level - 1);
  expect_failure(bomb, 6, "more than 100000 values");
  expect_failure("Load Balancing: &all\n  LB Data Output: *all\n", 2, "contains it");
  EXPECT_THAT(values("a: &a out\nLoad Balancing: {LB Data Output: {Directory: *a}}\n"),
              ::testing::ElementsAre("lb_data_dir=out@2"));
}

}  // namespace
}  // namespace plimsoll::runtime
