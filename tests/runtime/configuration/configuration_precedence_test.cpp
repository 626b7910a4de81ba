// The source that wins if several specify a setting: arguments, environment, file, program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

#include "runtime/configuration/configuration_test.hpp"
#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
/// Prints the name of the setting in test names.
std::ostream& operator<<(std::ostream& output, const Setting& setting) {
  return output << setting.name;
}

namespace {

using ::testing::HasSubstr;

/// Returns four different values of a setting, the default first. Flags have only two values.
std::vector<std::string> four_values(const Setting& setting) {
  const std::string original = setting.text({});
  if (setting.is_flag)
    return original == "true" ? std::vector<std::string>{"true", "false", "true", "false"}
                              : std::vector<std::string>{"false", "true", "false", "true"};
  if (setting.name == "lb_data_on_write_error") return {"stop", "go_on", "stop", "go_on"};
  if (setting.name == "lb_loads") return {"auto", "cpu", "wall", "cpu"};
  if (setting.name == "lb_subphases") return {"free", "synchronised", "free", "synchronised"};
  if (setting.name == "lb_load_model") return {original, "Norm", "LinearModel", "MultiplePhases"};
  if (setting.name == "lb_name") return {original, "GreedyLB", "RefineLB", "RotateLB"};
  if (setting.name == "lb_args") return {original, "a=1", "b=2", "c=3"};
  if (setting.name == "lb_work") return {original, "1,0,0", "2,0,0", "3,0,0"};
  return {original, "11", "22", "33"};
}

enum Source { program, file, environment, argument };

void give(Configuration& configuration, const Setting& setting, Source source, const std::string& value) {
  if (source == argument) {
    Arguments({"program", argument_name(setting.name) + "=" + value}).give(configuration);
  } else if (source == environment) {
    configuration.take_environment({{variable_name(setting.name), value}});
  } else if (source == file) {
    const YamlKey& key = setting.keys.at(0);
    configuration.take_file(key.section.empty() ? fmt::format("Load Balancing:\n  {}: {}\n", key.key, value)
                                                : fmt::format("Load Balancing:\n  {}:\n    {}: {}\n",
                                                              key.section, key.key, value),
                            "conf.yaml");
  }
}

class EverySetting : public ::testing::TestWithParam<Setting> {};

// Each source overrides exactly the earlier ones, regardless of the order in which they are read.
TEST_P(EverySetting, UsesSourceOfHighestPrecedence) {
  const Setting& setting = GetParam();
  const std::vector<std::string> values = four_values(setting);
  for (const Source higher : {file, environment, argument}) {
    for (const Source lower : {program, file, environment}) {
      if (lower >= higher || (setting.keys.empty() && (lower == file || higher == file))) continue;
      for (const bool higher_first : {false, true}) {
        // A flag has only two values: the higher source's value always differs from the others.
        const std::string& high_value = values[1];
        const std::string low_value = lower == program ? values[0] : values[2];
        Settings defaults;
        ASSERT_TRUE(setting.assign(defaults, values[0]));
        Configuration configuration(defaults);
        if (higher_first) give(configuration, setting, higher, high_value);
        give(configuration, setting, lower, low_value);
        if (!higher_first) give(configuration, setting, higher, high_value);
        Settings expected;
        ASSERT_TRUE(setting.assign(expected, high_value));
        if (setting.name == "lb_spec") configuration.take_environment({{"PLIMSOLL_LB_SPEC_FILE", "s"}});
        EXPECT_EQ(setting.text(configuration.settings()), setting.text(expected)) << lower << " " << higher;
      }
    }
  }
}

TEST_P(EverySetting, AcceptsEachOfItsKeysInFile) {
  for (const YamlKey& key : GetParam().keys) {
    Setting with_key = GetParam();
    with_key.keys = {key};
    Configuration configuration({.lb_spec_file = "spec"});
    const std::string value = four_values(with_key)[1];
    give(configuration, with_key, file, value);
    EXPECT_EQ(with_key.text(configuration.settings()), value);
  }
}

TEST_P(EverySetting, UsesDefaultOfProgram) {
  Settings defaults;
  defaults.lb_spec_file = "spec";
  const std::string value = four_values(GetParam())[1];
  ASSERT_TRUE(GetParam().assign(defaults, value));
  EXPECT_EQ(GetParam().text(Configuration(defaults).settings()), value);
}

TEST_P(EverySetting, AppearsInTableWithItsSource) {
  const Setting& setting = GetParam();
  const auto line = [&](const Configuration& configuration) {
    const std::string table = "\n" + configuration.table();
    const std::size_t start = table.find("\n" + setting.name + " ") + 1;
    return table.substr(start, table.find('\n', start) - start);
  };
  Configuration configuration;
  EXPECT_THAT(line(configuration), HasSubstr(" default "));
  if (!setting.keys.empty()) {
    give(configuration, setting, file, four_values(setting)[3]);
    EXPECT_THAT(line(configuration),
                HasSubstr(setting.keys[0].section.empty() ? " conf.yaml:2 " : " conf.yaml:3 "));
    EXPECT_THAT(line(configuration), HasSubstr(four_values(setting)[3]));
  }
  give(configuration, setting, environment, four_values(setting)[2]);
  EXPECT_THAT(line(configuration), HasSubstr(" " + variable_name(setting.name) + " "));
  EXPECT_THAT(line(configuration), HasSubstr(four_values(setting)[2]));
  give(configuration, setting, argument, four_values(setting)[1]);
  EXPECT_THAT(line(configuration), HasSubstr(" " + argument_name(setting.name) + " "));
  EXPECT_THAT(line(configuration), HasSubstr(four_values(setting)[1]));
  EXPECT_THAT(line(configuration), HasSubstr(setting.help));
}

INSTANTIATE_TEST_SUITE_P(All, EverySetting, ::testing::ValuesIn(setting_table()),
                         [](const auto& instance) { return instance.param.name; });

TEST(ConfigurationFileName, PrefersArgumentThenEnvironmentThenProgram) {
  Configuration configuration;
  EXPECT_EQ(configuration.file(), "");
  configuration.take_environment({{"PLIMSOLL_INPUT_CONFIG_YAML", "a.yaml"}});
  EXPECT_EQ(configuration.file(), "a.yaml");
  Arguments({"program", "--vt_input_config_yaml", "b.yaml"}).give(configuration);
  EXPECT_EQ(configuration.file(), "b.yaml");
  EXPECT_EQ(Configuration({.input_config_yaml = "c.yaml"}).file(), "c.yaml");
}

}  // namespace
}  // namespace plimsoll::runtime
