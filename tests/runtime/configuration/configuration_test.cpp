// This file is longer than 500 lines: all cases use the same fixtures of arguments, variables and files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <random>

#include <plimsoll/runtime/configuration.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"
#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::inline v0_1::runtime {
/// Prints the name of the setting in test names.
std::ostream& operator<<(std::ostream& output, const Setting& setting) {
  return output << setting.name;
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// argc and argv of a program. A guard follows the null pointer at the end of argv.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    argv_.reserve(words_.size() + 2);
    for (std::string& word : words_) argv_.push_back(word.data());
    argc_ = static_cast<int>(argv_.size());
    argv_.push_back(nullptr);
    argv_.push_back(&guard_);
  }

  void give(Configuration& configuration) { configuration.take_arguments(argc_, argv_.data()); }

  std::vector<std::string> left() const {
    EXPECT_EQ(argv_[argc_], nullptr);
    EXPECT_EQ(argv_.back(), &guard_);
    return {argv_.begin(), argv_.begin() + argc_};
  }

 private:
  std::vector<std::string> words_;
  char guard_ = 'x';
  std::vector<char*> argv_;
  int argc_;
};

Settings from_arguments(std::vector<std::string> words, std::vector<std::string>* left = nullptr) {
  words.insert(words.begin(), "program");
  Arguments arguments(words);
  Configuration configuration;
  arguments.give(configuration);
  if (left != nullptr) *left = arguments.left();
  return configuration.settings();
}

Settings from_environment(const std::map<std::string, std::string>& environment) {
  Configuration configuration;
  configuration.take_environment(environment);
  return configuration.settings();
}

void expect_usage_error(const auto& action, const std::string& what, const std::string& suggestion = "") {
  const std::optional<Error> error = testing::error_of(action);
  ASSERT_TRUE(error.has_value()) << "no error: " << what;
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_THAT(error->diagnostic().what, HasSubstr(what));
  EXPECT_THAT(error->diagnostic().suggestion, HasSubstr(suggestion));
}

void expect_refused(const std::vector<std::string>& words, const std::string& what,
                    const std::string& suggestion = "") {
  expect_usage_error([&] { from_arguments(words); }, what, suggestion);
}

// ------------------------------------------------------------------------------------------ arguments

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
  EXPECT_EQ(from_arguments({"--vt_lb_data_on_write_error=go_on"}).lb_data_on_write_error,
            OnWriteError::go_on);
}

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
      const std::string value = setting.is_flag()                          ? "on"
                                : setting.name == "lb_data_on_write_error" ? "stop"
                                : setting.name == "lb_loads"               ? "cpu"
                                : setting.name == "lb_load_model"          ? "Norm"
                                : setting.name == "lb_name"                ? "NoLB"
                                : setting.name == "lb_args"                ? "a=1"
                                : setting.name == "lb_work"                ? "1,0,0"
                                                                           : std::to_string(count);
      switch (random() % 4) {
        case 0: words.push_back(fmt::format("{}={}", name, value)); break;
        case 1:
          words.push_back(name);
          if (!setting.is_flag()) words.push_back(value);
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

TEST(ConfigurationArguments, ReportExpectedValueIfInvalid) {
  expect_refused({"--vt_lb_data=perhaps"}, "invalid value \"perhaps\" for --vt_lb_data", "use true or false");
  expect_refused({"--vt_lb_data="}, "invalid value \"\" for --vt_lb_data", "use true or false");
  expect_refused({"--vt_lb_statistics_freq=0"}, "invalid value \"0\" for --vt_lb_statistics_freq",
                 "use an integer >= 1");
  expect_refused({"--vt_lb_statistics_freq", "-1"}, "invalid value \"-1\" for --vt_lb_statistics_freq");
  expect_refused({"--vt_lb_history=-1"}, "invalid value \"-1\" for --vt_lb_history", "use an integer >= 0");
  expect_refused({"--vt_lb_loads=time"}, "--vt_lb_loads", "use wall or cpu");
  expect_refused({"--vt_lb_data_on_write_error=x"}, "--vt_lb_data_on_write_error", "use stop or go_on");
  expect_refused({"--vt_lb_data_file="}, "--vt_lb_data_file", "non-empty");
}

TEST(ConfigurationArguments, AreRejectedWithoutValue) {
  expect_refused({"--vt_lb_data_dir"}, "missing value for --vt_lb_data_dir", "use --vt_lb_data_dir=VALUE");
  expect_refused({"--vt_lb_data_dir", "--vt_lb_data"}, "missing value for --vt_lb_data_dir");
  expect_refused({"--vt_lb_history", "--", "3"}, "missing value for --vt_lb_history");
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

// ---------------------------------------------------------------------------------------- environment

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

// ----------------------------------------------------------------------------------------- precedence

/// Returns four different values of a setting, the default first. Flags have only two values.
std::vector<std::string> four_values(const Setting& setting) {
  const std::string original = setting.text({});
  if (setting.is_flag())
    return original == "true" ? std::vector<std::string>{"true", "false", "true", "false"}
                              : std::vector<std::string>{"false", "true", "false", "true"};
  if (setting.name == "lb_data_on_write_error") return {"stop", "go_on", "stop", "go_on"};
  if (setting.name == "lb_loads") return {"wall", "cpu", "wall", "cpu"};
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

// ----------------------------------------------------------------------------------------------- file

TEST(ConfigurationFileName, PrefersArgumentThenEnvironmentThenProgram) {
  Configuration configuration;
  EXPECT_EQ(configuration.file(), "");
  configuration.take_environment({{"PLIMSOLL_INPUT_CONFIG_YAML", "a.yaml"}});
  EXPECT_EQ(configuration.file(), "a.yaml");
  Arguments({"program", "--vt_input_config_yaml", "b.yaml"}).give(configuration);
  EXPECT_EQ(configuration.file(), "b.yaml");
  EXPECT_EQ(Configuration({.input_config_yaml = "c.yaml"}).file(), "c.yaml");
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
}  // namespace plimsoll::runtime
