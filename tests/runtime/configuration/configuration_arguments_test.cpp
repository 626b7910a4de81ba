// Settings from the arguments of a program.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <plimsoll/runtime/settings.hpp>

#include "runtime/configuration/configuration_test.hpp"
#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

using ::testing::ElementsAre;

TEST(ConfigurationArguments, KeepDefaultsWhenAbsent) {
  std::vector<std::string> left;
  const Settings settings = from_arguments({"--size", "10"}, &left);
  for (const Setting& setting : setting_table())
    EXPECT_EQ(setting.text(settings), setting.text({})) << setting.name;
  EXPECT_THAT(left, ElementsAre("program", "--size", "10"));
}

TEST(ConfigurationArguments, SetFieldWithSameName) {
  const auto text = [](const std::string& argument, std::string Settings::*field) {
    EXPECT_EQ(from_arguments({"--vt_" + argument + "=some"}).*field, "some") << argument;
  };
  text("input_config_yaml", &Settings::input_config_yaml);
  text("lb_data_dir", &Settings::lb_data_dir);
  text("lb_data_file", &Settings::lb_data_file);
  text("lb_spec_file", &Settings::lb_spec_file);
  text("lb_statistics_file", &Settings::lb_statistics_file);
  text("lb_statistics_dir", &Settings::lb_statistics_dir);
  const auto flag = [](const std::string& argument, bool Settings::*field) {
    for (const bool value : {false, true}) {
      const std::string word = fmt::format("--vt_{}={}", argument, value);
      EXPECT_EQ(from_arguments({word, "--vt_lb_spec_file=some"}).*field, value) << word;
    }
  };
  flag("lb_data", &Settings::lb_data);
  flag("lb_data_compress", &Settings::lb_data_compress);
  flag("lb_data_overwrite", &Settings::lb_data_overwrite);
  flag("lb_data_elide_identical", &Settings::lb_data_elide_identical);
  flag("lb_spec", &Settings::lb_spec);
  flag("lb_statistics", &Settings::lb_statistics);
  flag("lb_statistics_compress", &Settings::lb_statistics_compress);
  flag("lb_quiet", &Settings::lb_quiet);
  flag("lb_show_config", &Settings::lb_show_config);
  flag("lb_cpu_time", &Settings::lb_cpu_time);
  flag("lb_system_clock", &Settings::lb_system_clock);
  EXPECT_EQ(from_arguments({"--vt_lb_statistics_freq=7"}).lb_statistics_freq, 7);
  EXPECT_EQ(from_arguments({"--vt_lb_history=7"}).lb_history, 7);
  EXPECT_EQ(from_arguments({"--vt_lb_loads=cpu"}).lb_loads, LoadTime::cpu);
  EXPECT_EQ(from_arguments({"--vt_lb_subphases=synchronised"}).lb_subphases, SubphaseMode::synchronised);
  EXPECT_EQ(from_arguments({"--vt_lb_data_on_write_error=go_on"}).lb_data_on_write_error,
            OnWriteError::go_on);
}

TEST(ConfigurationArguments, DoNotUseNextWordAsValueOfFlag) {
  std::vector<std::string> left;
  EXPECT_TRUE(from_arguments({"--vt_lb_data", "false", "x"}, &left).lb_data);
  EXPECT_THAT(left, ElementsAre("program", "false", "x"));
  EXPECT_FALSE(from_arguments({"--vt_lb_statistics=off"}).lb_statistics);
  EXPECT_TRUE(from_arguments({"--vt_lb_data=1"}).lb_data);
}

TEST(ConfigurationArguments, AcceptValueInSameOrNextWord) {
  std::vector<std::string> left;
  EXPECT_EQ(from_arguments({"a", "--vt_lb_data_dir=x=y", "b"}, &left).lb_data_dir, "x=y");
  EXPECT_THAT(left, ElementsAre("program", "a", "b"));
  EXPECT_EQ(from_arguments({"a", "--vt_lb_data_dir", "-out", "b"}, &left).lb_data_dir, "-out");
  EXPECT_THAT(left, ElementsAre("program", "a", "b"));
  EXPECT_EQ(from_arguments({"--vt_lb_data_dir="}).lb_data_dir, "");
  EXPECT_EQ(from_arguments({"--vt_lb_data_dir=--out"}).lb_data_dir, "--out");
}

TEST(ConfigurationArguments, UseLastOfDuplicates) {
  EXPECT_EQ(from_arguments({"--vt_lb_history=2", "--vt_lb_history", "5"}).lb_history, 5);
  EXPECT_FALSE(from_arguments({"--vt_lb_data", "--vt_lb_data=no"}).lb_data);
}

TEST(ConfigurationArguments, EndAtTwoDashes) {
  std::vector<std::string> left;
  EXPECT_FALSE(
      from_arguments({"--vt_lb_quiet", "--", "--vt_lb_data", "--vt_lb_nonsense", "--"}, &left).lb_data);
  EXPECT_THAT(left, ElementsAre("program", "--", "--vt_lb_data", "--vt_lb_nonsense", "--"));
}

TEST(ConfigurationArguments, LeaveOtherArgumentsAlone) {
  std::vector<std::string> left;
  const std::vector<std::string> others = {"--vt_trace", "--vt_output_config", "vt_lb_data",   "",
                                           "-",          "--lb_data",          "--vt_l",       "--vt",
                                           "=",          "--vt_input",         "x--vt_lb_data"};
  from_arguments(others, &left);
  left.erase(left.begin());
  EXPECT_EQ(left, others);
}

TEST(ConfigurationArguments, AcceptEmptyListAndSkipProgramName) {
  int argc = 0;
  Configuration none;
  none.take_arguments(argc, nullptr);
  EXPECT_EQ(argc, 0);
  char name[] = "--vt_lb_data";  // the first argument is always the program name
  char* argv[] = {name};
  argc = 1;
  Configuration program;
  program.take_arguments(argc, argv);
  EXPECT_EQ(argc, 1);
  EXPECT_FALSE(program.settings().lb_data);
}

// Mixes Plimsoll's arguments with others: the others remain in order.
TEST(ConfigurationArguments, KeepOrderOfOtherArguments) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words = {"program"};
    std::vector<std::string> others = {"program"};
    std::string history = "1";
    for (int count = static_cast<int>(random() % 12); count > 0; --count) {
      const Setting& setting = setting_table()[random() % setting_table().size()];
      const std::string name = argument_name(setting.name);
      const std::string value = setting.is_flag                            ? "on"
                                : setting.name == "lb_data_on_write_error" ? "stop"
                                : setting.name == "lb_loads"               ? "cpu"
                                : setting.name == "lb_subphases"           ? "synchronised"
                                : setting.name == "lb_load_model"          ? "Norm"
                                : setting.name == "lb_name"                ? "NoLB"
                                : setting.name == "lb_args"                ? "a=1"
                                : setting.name == "lb_work"                ? "1,0,0"
                                                                           : std::to_string(count);
      switch (random() % 4) {
        case 0: words.push_back(fmt::format("{}={}", name, value)); break;
        case 1:
          words.push_back(name);
          if (!setting.is_flag) words.push_back(value);
          break;
        default:
          words.push_back(random() % 2 == 0 ? "--other" : value);
          others.push_back(words.back());
          continue;
      }
      if (setting.name == "lb_history") history = value;
    }
    Arguments arguments(words);
    Configuration configuration({.lb_spec_file = "spec"});
    arguments.give(configuration);
    EXPECT_EQ(arguments.left(), others);
    EXPECT_EQ(std::to_string(configuration.settings().lb_history), history);
  }
}

TEST(ConfigurationArguments, LeaveOtherWordsToProgram) {
  const std::vector<std::string> words = {"vt_lb_data", "./vt_lb_data", "-o=vt_lb_data",
                                          "--lb-data",  "-lb_data",     "--vt-trace",
                                          "--vt_trace", "-vt",          "-v",
                                          "--vt",       "--invt_lb",    "-vt-lbm-viscosity-model=x",
                                          "-",          "--vtk-lb-data"};
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--", "-vt_lb_data"});
  std::vector<std::string> left;
  const Settings settings = from_arguments(all, &left);
  all.insert(all.begin(), "program");
  EXPECT_EQ(left, all);
  EXPECT_FALSE(settings.lb_data);
}

TEST(ConfigurationArguments, StayUnchangedAfterError) {
  const std::vector<std::string> words = {"program", "--vt_lb_data", "x", "--vt_lb_history=x"};
  Arguments arguments(words);
  Configuration configuration;
  EXPECT_ERROR(arguments.give(configuration), usage, "lb_history");
  EXPECT_EQ(arguments.left(), words);
}

TEST(ConfigurationArguments, SuggestNearestNameIfUnknown) {
  expect_refused({"--vt_lb_data_dri=x"}, "unknown setting \"--vt_lb_data_dri\"",
                 "did you mean --vt_lb_data_dir?");
  expect_refused({"--vt_lb_data_compres"}, "--vt_lb_data_compres", "did you mean --vt_lb_data_compress?");
  expect_refused({"--vt_lbdata"}, "--vt_lbdata", "did you mean --vt_lb_data?");
  expect_refused({"--vt_lb_Data"}, "--vt_lb_Data", "did you mean --vt_lb_data?");
  expect_refused({"--vt_input_config_toml=a"}, "--vt_input_config_toml",
                 "did you mean --vt_input_config_yaml?");
  expect_refused({"--vt_lb_something_altogether_different"}, "different",
                 "use --vt_lb_show_config to list all");
  expect_refused({"--vt_lb_\n"}, "unknown setting \"--vt_lb_\\n\"");
}

TEST(ConfigurationArguments, SuggestSettingIfPrefixIsMisspelt) {
  for (const char* word : {"--vt-lb-data", "--vt-lb_data", "-vt_lb_data", "-vt-lb-data", "---vt_lb_data",
                           "--vt_LB_data", "--VT_LB_DATA", "--vtlb_data", "--vtlbdata", "--vt__lb_data",
                           "\xE2\x80\x93vt_lb_data", "\xE2\x80\x94vt_lb_data"}) {
    SCOPED_TRACE(word);
    expect_refused({word}, "unknown setting", "did you mean --vt_lb_data?");
    expect_refused({word + std::string("=true")}, "unknown setting", "did you mean --vt_lb_data?");
  }
  expect_refused({"--vt-lb-data-dir", "x"}, "unknown setting \"--vt-lb-data-dir\"",
                 "did you mean --vt_lb_data_dir?");
  expect_refused({"--vt-lb-data-dri=x"}, "--vt-lb-data-dri", "did you mean --vt_lb_data_dir?");
  expect_refused({"--vt-input-config-yaml=a"}, "--vt-input-config-yaml",
                 "did you mean --vt_input_config_yaml?");
  expect_refused({"--vt-lb-name=a"}, "--vt-lb-name", "did you mean --vt_lb_name?");
}

TEST(ConfigurationArguments, ReportExpectedValueIfInvalid) {
  expect_refused({"--vt_lb_data=perhaps"}, "invalid value \"perhaps\" for --vt_lb_data", "use true or false");
  expect_refused({"--vt_lb_data="}, "invalid value \"\" for --vt_lb_data", "use true or false");
  expect_refused({"--vt_lb_statistics_freq=0"}, "invalid value \"0\" for --vt_lb_statistics_freq",
                 "use an integer >= 1");
  expect_refused({"--vt_lb_statistics_freq", "-1"}, "invalid value \"-1\" for --vt_lb_statistics_freq");
  expect_refused({"--vt_lb_history=-1"}, "invalid value \"-1\" for --vt_lb_history", "use an integer >= 0");
  expect_refused({"--vt_lb_loads=time"}, "--vt_lb_loads", "use auto, wall, cpu or device");
  expect_refused({"--vt_lb_data_on_write_error=x"}, "--vt_lb_data_on_write_error", "use stop or go_on");
  expect_refused({"--vt_lb_data_file="}, "--vt_lb_data_file", "non-empty");
}

TEST(ConfigurationArguments, AreRejectedWithoutValue) {
  expect_refused({"--vt_lb_data_dir"}, "missing value for --vt_lb_data_dir", "use --vt_lb_data_dir=VALUE");
  expect_refused({"--vt_lb_data_dir", "--vt_lb_data"}, "missing value for --vt_lb_data_dir");
  expect_refused({"--vt_lb_history", "--", "3"}, "missing value for --vt_lb_history");
}

}  // namespace
}  // namespace plimsoll::runtime
