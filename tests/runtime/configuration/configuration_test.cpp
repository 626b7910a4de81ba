// Settings from environment variables, settings that depend on others or on the program, warnings, and the
// table of settings.

#include "runtime/configuration/configuration_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConfigurationArguments, EnableStatisticsThroughEachOfTheirSettings) {
  EXPECT_FALSE(from_arguments({}).lb_statistics);
  EXPECT_FALSE(from_arguments({"--vt_lb_spec_file=x", "--vt_lb_system_clock"}).lb_statistics);
  for (const char* word :
       {"--vt_lb_statistics", "--vt_lb_statistics_compress=false", "--vt_lb_statistics_file=x",
        "--vt_lb_statistics_dir=x", "--vt_lb_statistics_freq=2"}) {
    EXPECT_TRUE(from_arguments({word}).lb_statistics) << word;
    EXPECT_FALSE(from_arguments({word, "--vt_lb_statistics=false"}).lb_statistics) << word;
    EXPECT_FALSE(from_arguments({"--vt_lb_statistics=false", "--vt_lb_statistics_dir=x"}).lb_statistics);
  }
  EXPECT_TRUE(from_environment({{"PLIMSOLL_LB_STATISTICS_DIR", "x"}}).lb_statistics);
  EXPECT_FALSE(
      from_environment({{"PLIMSOLL_LB_STATISTICS_DIR", "x"}, {"PLIMSOLL_LB_STATISTICS", "0"}}).lb_statistics);
}

TEST(ConfigurationArguments, DisableStatisticsThatYamlFileRequests) {
  const auto with_file = [](std::string_view text, Settings defaults = {}) {
    Configuration configuration(std::move(defaults));
    configuration.take_file(text, "f.yaml");
    return configuration;
  };
  const Configuration requested = with_file("Load Balancing: {LB Statistics: {Frequency: 3}}");
  EXPECT_TRUE(requested.settings().lb_statistics);
  EXPECT_THAT(requested.table(), ::testing::ContainsRegex("lb_statistics  +true  +f.yaml:1"));
  EXPECT_FALSE(
      with_file("Load Balancing: {LB Statistics: {Enabled: false, Frequency: 3}}").settings().lb_statistics);
  EXPECT_FALSE(with_file("Load Balancing: {LB Statistics: {Enabled: false}}", {.lb_statistics = true})
                   .settings()
                   .lb_statistics);
  EXPECT_TRUE(Configuration({.lb_statistics = true}).settings().lb_statistics);
}

TEST(ConfigurationWarnings, NameSpecificationFileWithoutEffect) {
  const auto warnings = [](const std::vector<std::string>& words, Settings defaults = {}) {
    Arguments arguments(words);
    Configuration configuration(std::move(defaults));
    arguments.give(configuration);
    return configuration.warnings();
  };
  EXPECT_THAT(
      warnings({"program", "--vt_lb_spec_file=s"}),
      ElementsAre("lb_spec_file (--vt_lb_spec_file) has no effect without lb_spec; set --vt_lb_spec to write "
                  "only the phases that it selects"));
  EXPECT_EQ(warnings({"program"}, {.lb_spec_file = "s"}).size(), 1U);
  EXPECT_THAT(warnings({"program"}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({"program", "--vt_lb_spec_file=s", "--vt_lb_spec"}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({"program", "--vt_lb_spec_file=s", "--vt_lb_spec=false"}), ::testing::IsEmpty());
}

TEST(ConfigurationWarnings, NameStrategyOfUserWithoutEffect) {
  const auto warnings = [](const std::map<std::string, std::string>& variables, Settings defaults = {}) {
    Configuration configuration(std::move(defaults));
    configuration.take_environment(variables);
    return configuration.warnings();
  };
  EXPECT_THAT(warnings({{"PLIMSOLL_LB_NAME", "RefineLB"}}),
              ElementsAre("lb_name (PLIMSOLL_LB_NAME) has no effect without lb; set --vt_lb to balance"));
  EXPECT_THAT(warnings({{"PLIMSOLL_LB_NAME", "NoLB"}}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({{"PLIMSOLL_LB_NAME", "RefineLB"}, {"PLIMSOLL_LB", "false"}}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({{"PLIMSOLL_LB_NAME", "RefineLB"}}, {.lb = true}), ::testing::IsEmpty());
  EXPECT_THAT(warnings({}, {.lb_name = "RefineLB"}), ::testing::IsEmpty()) << "users switch lb on";
}

TEST(Configuration, RequiresFileIfSpecificationIsEnabled) {
  expect_refused({"--vt_lb_spec"}, "lb_spec (--vt_lb_spec) requires", "set --vt_lb_spec_file=FILE");
  expect_usage_error(
      [] {
        from_environment({{"PLIMSOLL_LB_SPEC", "1"}});
      },
      "lb_spec (PLIMSOLL_LB_SPEC) requires");
  EXPECT_EQ(from_arguments({"--vt_lb_spec", "--vt_lb_spec_file=s"}).lb_spec_file, "s");
  EXPECT_FALSE(from_arguments({"--vt_lb_spec_file=s"}).lb_spec);
}

TEST(Configuration, RejectsInvalidDefaults) {
  expect_usage_error([] { Configuration({.lb_statistics_freq = 0}).settings(); },
                     "invalid value \"0\" for lb_statistics_freq in the program", ">= 1");
  expect_usage_error([] { Configuration({.lb_history = -1}).settings(); }, "lb_history in the program");
  expect_usage_error([] { Configuration({.lb_spec = true}).settings(); }, "lb_spec (default) requires");
  expect_usage_error([] { Configuration({.lb_load_model = "LinerModel"}).settings(); },
                     "lb_load_model (default): unknown load model \"LinerModel\"",
                     "did you mean \"LinearModel\"?");
  expect_usage_error([] { from_arguments({"--vt_lb_load_model=Norm(power=0)"}); },
                     "lb_load_model (--vt_lb_load_model): invalid value 0 for parameter \"power\" of Norm");
  EXPECT_EQ(from_arguments({"--vt_lb_load_model=Norm | LinearModel"}).lb_load_model, "Norm | LinearModel");
}

TEST(Configuration, KeepsSinkOfProgram) {
  int lines = 0;
  const Configuration configuration({.sink = [&](std::string_view) { ++lines; }});
  configuration.settings().sink("");
  EXPECT_EQ(lines, 1);
}

TEST(ConfigurationTable, ShowsTextsInQuotesAndFlagsAsTrueOrFalse) {
  Configuration configuration;
  Arguments({"program", "--vt_lb_data=ON", "--vt_lb_data_dir=a\nb"}).give(configuration);
  const std::string table = configuration.table();
  EXPECT_THAT(table, ::testing::ContainsRegex("lb_data  +true  +--vt_lb_data  +write LB data"));
  EXPECT_THAT(table, ::testing::ContainsRegex("lb_data_dir  +\"a\\\\nb\"  +--vt_lb_data_dir"));
  EXPECT_THAT(table, ::testing::ContainsRegex("lb_statistics_dir  +\"\"  +default"));
  EXPECT_EQ(std::ranges::count(table, '\n'), static_cast<std::ptrdiff_t>(setting_table().size()) + 2);
}

TEST(ConfigurationTable, ShowsContradictorySettings) {
  EXPECT_THAT(Configuration({.lb_spec = true}).table(), HasSubstr("ignored without lb_spec"));
}

}  // namespace

namespace {

TEST(ConfigurationEnvironment, IgnoresOtherVariables) {
  const Settings settings = from_environment({{"HOME", "/"},
                                              {"PLIMSOLL_TEST_RANKS", "2"},
                                              {"VT_LB_DATA", "1"},
                                              {"XPLIMSOLL_LB_DATA", "1"},
                                              {"plimsoll_lb_data", "1"}});
  EXPECT_FALSE(settings.lb_data);
}

TEST(ConfigurationEnvironment, RejectsSameErrorsAsArguments) {
  const auto refused = [](const std::string& name, const std::string& value, const std::string& what,
                          const std::string& suggestion) {
    expect_usage_error([&] { from_environment({{name, value}}); }, what, suggestion);
  };
  refused("PLIMSOLL_LB_DATA_DRI", "x", "unknown setting \"PLIMSOLL_LB_DATA_DRI\"", "PLIMSOLL_LB_DATA_DIR?");
  refused("PLIMSOLL_LB_data", "1", "unknown setting", "did you mean PLIMSOLL_LB_DATA?");
  refused("PLIMSOLL_LB_DATA", "", "invalid value \"\" for PLIMSOLL_LB_DATA", "use true or false");
  refused("PLIMSOLL_INPUT_CONFIG_YML", "x", "unknown setting", "did you mean PLIMSOLL_INPUT_CONFIG_YAML?");
}

TEST(ConfigurationEnvironment, ReadsEnvironmentOfProcess) {
  ASSERT_EQ(setenv("PLIMSOLL_LB_DATA_DIR", "a=b", 1), 0);
  Configuration configuration;
  configuration.take_environment();
  unsetenv("PLIMSOLL_LB_DATA_DIR");
  EXPECT_EQ(configuration.settings().lb_data_dir, "a=b");
}

}  // namespace
}  // namespace plimsoll::runtime
