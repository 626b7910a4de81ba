#include "runtime/configuration/setting_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

const Setting& setting(const std::string& name) {
  for (const Setting& candidate : setting_table())
    if (candidate.name == name) return candidate;
  throw std::out_of_range(name);
}

// Returns the key in the notation of the documentation: "LB Data Output: Directory".
std::string path_of(const YamlKey& key) {
  return key.section.empty() ? key.key : fmt::format("{}: {}", key.section, key.key);
}

TEST(SettingTable, ListsEachSettingAndKeyOnce) {
  std::set<std::string> names;
  std::set<std::string> keys;
  for (const Setting& each : setting_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.help.empty()) << each.name;
    for (const YamlKey& key : each.keys) EXPECT_TRUE(keys.insert(path_of(key)).second) << path_of(key);
  }
}

TEST(SettingTable, ContainsEveryMemberOfSettings) {
  EXPECT_EQ(setting_table().size(), 43U);
  Settings settings;
  for (const Setting& each : setting_table()) {
    const std::string before = each.text(settings);
    EXPECT_TRUE(each.assign(settings, before)) << each.name;
    EXPECT_EQ(each.text(settings), before) << each.name;
  }
}

TEST(Setting, AcceptsOnlyKnownWordsForFlags) {
  for (const char* word : {"true", "1", "on", "yes", "True", "ON"}) {
    Settings settings;
    EXPECT_TRUE(setting("lb_data").assign(settings, word)) << word;
    EXPECT_TRUE(settings.lb_data) << word;
  }
  for (const char* word : {"false", "0", "off", "no", "FALSE", "No"}) {
    Settings settings;
    settings.lb_data = true;
    EXPECT_TRUE(setting("lb_data").assign(settings, word)) << word;
    EXPECT_FALSE(settings.lb_data) << word;
  }
  for (const char* word : {"", "2", "y", "tru", "true ", " true", "enable", "00"}) {
    Settings settings;
    EXPECT_FALSE(setting("lb_data").assign(settings, word)) << word;
    EXPECT_FALSE(settings.lb_data) << word;
  }
}

TEST(Setting, AcceptsOnlyIntegersInRange) {
  Settings settings;
  EXPECT_TRUE(setting("lb_statistics_freq").assign(settings, "9223372036854775807"));
  EXPECT_EQ(settings.lb_statistics_freq, std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(setting("lb_statistics_freq").assign(settings, "1"));
  for (const char* word :
       {"", "0", "-1", "9223372036854775808", "1.0", "1e3", "0x10", " 1", "1 ", "+1", "one"})
    EXPECT_FALSE(setting("lb_statistics_freq").assign(settings, word)) << word;
  EXPECT_EQ(settings.lb_statistics_freq, 1);
  EXPECT_TRUE(setting("lb_history").assign(settings, "0"));
  EXPECT_EQ(settings.lb_history, 0);
  EXPECT_FALSE(setting("lb_history").assign(settings, "-1"));
}

TEST(Setting, SpecifiesWhetherTextMayBeEmpty) {
  Settings settings;
  for (const char* name : {"lb_data_dir", "lb_statistics_dir", "lb_spec_file", "input_config_yaml"})
    EXPECT_TRUE(setting(name).assign(settings, "")) << name;
  for (const char* name : {"lb_data_file", "lb_statistics_file"})
    EXPECT_FALSE(setting(name).assign(settings, "")) << name;
  EXPECT_FALSE(setting("lb_data_dir").assign(settings, std::string("a\0b", 3)));
}

TEST(Setting, AcceptsOnlyTwoWordsForWriteErrors) {
  Settings settings;
  EXPECT_TRUE(setting("lb_data_on_write_error").assign(settings, "go_on"));
  EXPECT_EQ(settings.lb_data_on_write_error, OnWriteError::go_on);
  EXPECT_FALSE(setting("lb_data_on_write_error").assign(settings, "continue"));
  EXPECT_TRUE(setting("lb_data_on_write_error").assign(settings, "stop"));
  EXPECT_EQ(settings.lb_data_on_write_error, OnWriteError::stop);
}

TEST(Setting, PrefixesArgumentsWithVtAndVariablesWithPlimsoll) {
  EXPECT_EQ(argument_name("lb_data_dir"), "--vt_lb_data_dir");
  EXPECT_EQ(variable_name("lb_data_dir"), "PLIMSOLL_LB_DATA_DIR");
}

std::string documented(const Setting& setting) {
  const std::string text = setting.text(Settings{});
  return fmt::format("| `{}` | `{}` | {} | {} | {} |\n", argument_name(setting.name),
                     variable_name(setting.name),
                     setting.keys.empty() ? "" : fmt::format("`{}`", path_of(setting.keys[0])),
                     text.empty() ? "" : fmt::format("`{}`", text), setting.help);
}

TEST(ConfigurationPage, DescribesEachSetting) {
  std::ifstream file(PLIMSOLL_DOCS_DIR "/reference/settings.md");
  std::stringstream page;
  page << file.rdbuf();
  for (const Setting& each : setting_table()) EXPECT_THAT(page.str(), ::testing::HasSubstr(documented(each)));
}

}  // namespace

namespace {

TEST(ProgramDefaults, HaveNamesOfSettings) {
  ProgramDefaults defaults;
  defaults.set("lb_data", "true");
  defaults.set("lb_data_dir", "out");
  defaults.set("lb_history", "3");
  EXPECT_TRUE(defaults.settings().lb_data);
  EXPECT_EQ(defaults.settings().lb_data_dir, "out");
  EXPECT_EQ(defaults.settings().lb_history, 3);
  EXPECT_FALSE(defaults.settings().lb_statistics);
}

TEST(ProgramDefaults, EnableStatisticsThroughEachOfTheirSettings) {
  ProgramDefaults implied;
  implied.set("lb_statistics_freq", "3");
  EXPECT_TRUE(implied.settings().lb_statistics);
  implied.set("lb_statistics", "false");
  implied.set("lb_statistics_dir", "x");
  EXPECT_FALSE(implied.settings().lb_statistics);
}

TEST(ProgramDefaults, RejectUnknownNamesAndInvalidValues) {
  ProgramDefaults defaults;
  EXPECT_ERROR(defaults.set("lb_dta", "1"), usage, "unknown setting \"lb_dta\"; did you mean lb_data?");
  EXPECT_ERROR(defaults.set("something else", "x"), usage, "use --vt_lb_show_config to list all settings");
  EXPECT_ERROR(defaults.set("", "x"), usage, "unknown setting \"\"");
  EXPECT_ERROR(defaults.set("lb_history", "-1"), usage,
               "invalid value \"-1\" for lb_history; use an integer >= 0");
  EXPECT_EQ(defaults.settings().lb_history, Settings().lb_history);
}

}  // namespace
}  // namespace plimsoll::runtime
