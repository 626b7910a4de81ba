#include "runtime/configuration/lb_settings.hpp"

#include <plimsoll/runtime/settings.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {
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

TEST(LbWhen, IsAWordOrAnImbalance) {
  EXPECT_EQ(parse_lb_when("pays")->kind, LbCondition::Kind::pays);
  EXPECT_EQ(parse_lb_when("always")->kind, LbCondition::Kind::always);
  EXPECT_EQ(parse_lb_when("0.25")->kind, LbCondition::Kind::threshold);
  EXPECT_EQ(parse_lb_when("0.25")->min_imbalance, 0.25);
  for (const char* text : {"", "never", "-1", "nan", "inf", "0.1x", " 1"})
    EXPECT_FALSE(parse_lb_when(text).has_value()) << text;
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
