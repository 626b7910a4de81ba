#include <gtest/gtest.h>

#include <plimsoll/runtime/settings.hpp>

#include "common/throws_error.hpp"
#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
namespace {

// Defaults are those of vt. By default, settings that vt lacks neither measure nor write additional data.
TEST(Settings, HaveDefaultsOfVt) {
  const Settings settings;
  EXPECT_FALSE(settings.lb_data);
  EXPECT_TRUE(settings.lb_data_compress);
  EXPECT_EQ(settings.lb_data_dir, "vt_lb_data");
  EXPECT_EQ(settings.lb_data_file, "data.%p.json");
  EXPECT_FALSE(settings.lb_spec);
  EXPECT_EQ(settings.lb_spec_file, "");
  EXPECT_FALSE(settings.lb_statistics);
  EXPECT_TRUE(settings.lb_statistics_compress);
  EXPECT_EQ(settings.lb_statistics_file, "vt_lb_statistics.%t.json");
  EXPECT_EQ(settings.lb_statistics_dir, "");
  EXPECT_EQ(settings.lb_statistics_freq, 100);
  EXPECT_FALSE(settings.lb);
  EXPECT_EQ(settings.lb_name, "NoLB");
  EXPECT_EQ(settings.lb_args, "");
  EXPECT_EQ(settings.lb_interval, 1);
  EXPECT_EQ(settings.lb_file_name, "");
  EXPECT_FALSE(settings.lb_run_lb_first_phase);
  EXPECT_FALSE(settings.lb_keep_last_elm);
  EXPECT_FALSE(settings.lb_self_migration);
  EXPECT_FALSE(settings.lb_data_in);
  EXPECT_EQ(settings.lb_data_dir_in, "vt_lb_data_in");
  EXPECT_EQ(settings.lb_data_file_in, "data.%p.json");
  EXPECT_EQ(input_file_path(settings, 3), "vt_lb_data_in/data.3.json");
  EXPECT_FALSE(settings.help_lb_args);
  EXPECT_FALSE(settings.lb_quiet);
  EXPECT_FALSE(settings.lb_show_config);
}

TEST(Settings, OverwriteNothingAndStopOnWriteErrorsByDefault) {
  const Settings settings;
  EXPECT_FALSE(settings.lb_data_overwrite);
  EXPECT_FALSE(settings.lb_data_elide_identical);
  EXPECT_EQ(settings.lb_data_on_write_error, OnWriteError::stop);
  EXPECT_FALSE(settings.lb_cpu_time);
  EXPECT_FALSE(settings.lb_system_clock);
  EXPECT_EQ(settings.lb_history, 1);
}

std::string data_file(const std::string& file, bool compress, const std::string& dir = "out") {
  Settings settings;
  settings.lb_data_file = file;
  settings.lb_data_dir = dir;
  settings.lb_data_compress = compress;
  return data_file_path(settings, 12);
}

TEST(DataFilePath, MatchesVtByDefault) {
  Settings settings;
  EXPECT_EQ(data_file_path(settings, 0), "vt_lb_data/data.0.json.br");
  settings.lb_data_compress = false;
  EXPECT_EQ(data_file_path(settings, 1023), "vt_lb_data/data.1023.json");
}

TEST(DataFilePath, ReplacesFirstPlaceholderOnly) {
  EXPECT_EQ(data_file("%p/%p.json", false), "out/12/%p.json");
  EXPECT_EQ(data_file("a%%p", false), "out/a%12");
}

TEST(DataFilePath, AppendsRankIfPlaceholderIsMissing) {
  EXPECT_EQ(data_file("x.json", false), "out/x.json12");
  EXPECT_EQ(data_file("x.json", true), "out/x.json12.br");
  EXPECT_EQ(data_file("x.json.br", true), "out/x.json.br12.br");
  EXPECT_EQ(data_file("x%P", false), "out/x%P12");
}

TEST(DataFilePath, EndsWithOneBrSuffixIfCompressed) {
  EXPECT_EQ(data_file("%p.json.br", true), "out/12.json.br");
  EXPECT_EQ(data_file("%p.json.br", false), "out/12.json.br");
  EXPECT_EQ(data_file("%p.jsonbr", true), "out/12.jsonbr.br");
}

TEST(DataFilePath, UsesCurrentDirectoryByDefault) {
  EXPECT_EQ(data_file("%p", false, ""), "12");
}

TEST(DataFilePath, KeepsPlaceholdersInDirectory) {
  EXPECT_EQ(data_file("%p", false, "run%p"), "run%p/12");
}

TEST(StatisticsFilePath, ReplacesFirstPlaceholderOnly) {
  Settings settings;
  const std::string time = "2024-01-31-23-59-01";
  EXPECT_EQ(statistics_file_path(settings, time), "vt_lb_statistics.2024-01-31-23-59-01.json.br");
  settings.lb_statistics_dir = "out";
  settings.lb_statistics_compress = false;
  EXPECT_EQ(statistics_file_path(settings, time), "out/vt_lb_statistics.2024-01-31-23-59-01.json");
  settings.lb_statistics_file = "%t.%t";
  EXPECT_EQ(statistics_file_path(settings, time), "out/2024-01-31-23-59-01.%t");
  settings.lb_statistics_file = "s.json";
  EXPECT_EQ(statistics_file_path(settings, time), "out/s.json");
  settings.lb_statistics_file = "s.br";
  settings.lb_statistics_compress = true;
  EXPECT_EQ(statistics_file_path(settings, time), "out/s.br");
  EXPECT_EQ(statistics_file_path(settings, time, 1), "out/s.br");
  EXPECT_EQ(statistics_file_path(settings, time, 2), "out/s-2.br");
  settings.lb_statistics_file = "a.%t.json";
  EXPECT_EQ(statistics_file_path(settings, time, 10), "out/a.2024-01-31-23-59-01-10.json.br");
  settings.lb_statistics_file = "s.json.br";
  EXPECT_EQ(statistics_file_path(settings, time, 3), "out/s-3.json.br");
  settings.lb_statistics_file = "name";
  EXPECT_EQ(statistics_file_path(settings, time, 2), "out/name-2.br");
  settings.lb_statistics_file = ".hidden";
  settings.lb_statistics_compress = false;
  EXPECT_EQ(statistics_file_path(settings, time, 2), "out/.hidden-2");
}

}  // namespace

namespace {

Settings balanced_by(const std::string& name) {
  Settings settings;
  settings.lb = true;
  settings.lb_name = name;
  return settings;
}

Settings settings_from(const std::map<std::string, std::string>& variables, const Settings& defaults = {}) {
  Configuration configuration(defaults);
  configuration.take_environment(variables);
  return configuration.settings();
}

TEST(LbWhen, MustBeACondition) {
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_WHEN", "never"}}), usage,
               "invalid value \"never\" for PLIMSOLL_LB_WHEN; use pays, always, or a minimum imbalance >= 0");
}

TEST(LbWork, HasThreeToFiveCoefficients) {
  const auto work = parse_lb_work("1,1e-8,0,2e-9,3e-9");
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->beta, 1e-8);
  EXPECT_EQ(work->delta, 2e-9);
  EXPECT_EQ(work->beta_node, 3e-9);
  EXPECT_EQ(parse_lb_work("1,0,0")->beta_node, std::nullopt);
  for (const char* text : {"", "1", "1,2", "1,2,3,4,5,6", "1,,2", "1,-1,0", "1,x,0"})
    EXPECT_FALSE(parse_lb_work(text).has_value()) << text;
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_WORK", "1,2"}}), usage, "invalid value \"1,2\"");
}

TEST(LbSettings, AreCheckedAtTheStart) {
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_NAME", "GredyLB"}}), usage,
               "lb_name (PLIMSOLL_LB_NAME): unknown strategy \"GredyLB\"; did you mean \"GreedyLB\"?");
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_NAME", "GreedyLB"}, {"PLIMSOLL_LB_ARGS", "c=0"}}), usage,
               "unknown parameter \"c\" of GreedyLB");
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_ARGS", "min"}}), usage,
               "lb_args (PLIMSOLL_LB_ARGS): invalid strategy argument \"min\"");
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_INTERVAL", "0"}}), usage, "use an integer >= 1");
}

TEST(LbSettings, AllowEitherANameOrAFile) {
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_NAME", "GreedyLB"}, {"PLIMSOLL_LB_FILE_NAME", "lb.conf"}}), usage,
               "lb_name (PLIMSOLL_LB_NAME) and lb_file_name (PLIMSOLL_LB_FILE_NAME) exclude each other");
  EXPECT_EQ(settings_from({{"PLIMSOLL_LB_FILE_NAME", "lb.conf"}}, balanced_by("GreedyLB")).lb_name, "NoLB");
  Settings with_file;
  with_file.lb_file_name = "lb.conf";
  EXPECT_EQ(settings_from({{"PLIMSOLL_LB_NAME", "GreedyLB"}}, with_file).lb_file_name, "");
  with_file.lb_name = "GreedyLB";
  EXPECT_ERROR(settings_from({}, with_file), usage, "exclude each other");
}

TEST(LbScheduleOfSettings, TakesParametersFromNameAndArguments) {
  Settings settings = balanced_by("RefineLB(tolerance=1.1)");
  settings.lb_args = "max_moves=3";
  EXPECT_EQ(make_lb_schedule(settings, "").strategy(1),
            (balance::StrategySpec{"RefineLB", {{"tolerance", "1.1"}, {"max_moves", "3"}}}));
  settings.lb_args = "tolerance=1.2";
  EXPECT_ERROR(make_lb_schedule(settings, ""), usage, "duplicate parameter \"tolerance\" of RefineLB");
  EXPECT_ERROR(settings_from({{"PLIMSOLL_LB_NAME", "RefineLB(tolerance=1.1"}}), usage,
               "lb_name (PLIMSOLL_LB_NAME): invalid strategy");
}

TEST(LbScheduleOfSettings, RunsOneStrategyInIntervals) {
  Settings settings = balanced_by("GreedyLB");
  settings.lb_args = "min=0.5";
  settings.lb_interval = 10;
  const balance::LbSchedule schedule = make_lb_schedule(settings, "");
  EXPECT_EQ(schedule.strategy(11), (balance::StrategySpec{"GreedyLB", {{"min", "0.5"}}}));
  EXPECT_FALSE(schedule.strategy(10).has_value());
  settings.lb_run_lb_first_phase = true;
  EXPECT_TRUE(make_lb_schedule(settings, "").strategy(10).has_value());
  settings.lb = false;
  EXPECT_TRUE(make_lb_schedule(settings, "").entries().empty());
}

TEST(LbScheduleOfSettings, ReadsTheFile) {
  Settings settings = balanced_by("NoLB");
  settings.lb_file_name = "lb.conf";
  EXPECT_EQ(make_lb_schedule(settings, "%5 GreedyLB").strategy(5)->name, "GreedyLB");
  EXPECT_ERROR(make_lb_schedule(settings, "\n5 Greedy1LB"), bad_input,
               "lb.conf:2: column 3: unknown strategy");
}

TEST(LbScheduleOfSettings, RequiresTheSettingsOfSpecialStrategies) {
  EXPECT_ERROR(make_lb_schedule(balanced_by("OfflineLB"), ""), usage,
               "OfflineLB requires lb_data_in; set --vt_lb_data_in");
  EXPECT_ERROR(make_lb_schedule(balanced_by("TestSerializationLB"), ""), usage, "set --vt_lb_self_migration");
  Settings settings = balanced_by("OfflineLB");
  settings.lb_data_in = true;
  EXPECT_NO_THROW(make_lb_schedule(settings, ""));
}

}  // namespace
}  // namespace plimsoll::runtime
