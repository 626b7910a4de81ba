#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "pelayout/timing/timing_text.hpp"

// Tests oddities of timing profiles that are harmless or cause a warning.

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::replaced;
using plimsoll::testing::TimingText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TimingFileParser, ReadsFileOfOneOfSeveralDrivers) {
  TimingText text;
  text.rows = {{"CPL", "cpl_0002", 64, 30.5}, {"ATM", "cam", 64, 200.25, 1, 0, 3}};
  const TimingFile file = parse_timing_file(text.str(), "cesm_timing_0002");
  EXPECT_EQ(file.driver_instance, 2);
  EXPECT_EQ(file.find("CPL")->model, "CPL");
  EXPECT_EQ(file.find("ATM")->instances, 3);
}

TEST(TimingFileParser, IgnoresProcessorCountsThatCimeOf2017Doubled) {
  const std::string text = replaced(TimingText().str(), "atm = cam        64  ", "atm = cam        128 ");
  const TimingFile file = parse_timing_file(text, "f");
  EXPECT_EQ(file.find("ATM")->tasks, 64);
  EXPECT_EQ(file.find("ATM")->threads, 1);
}

TEST(TimingFileParser, IgnoresLineEndingStyleAndTrailingSpaces) {
  std::string text;
  for (const char letter : TimingText().str())
    text += letter == '\n' ? std::string(" \t\r\n") : std::string{letter};
  EXPECT_EQ(parse_timing_file(text, "f").components, parse_timing_file(TimingText().str(), "f").components);
}

TEST(TimingFileParser, IgnoresCaseOfNames) {
  const std::string text = replaced(TimingText().str(), "atm = cam", "Atm = CAM");
  EXPECT_EQ(parse_timing_file(text, "f").find("ATM")->model, "CAM");
}

TEST(TimingFileParser, ComputesTimePerDayFromWholeRun) {
  TimingText text;
  text.rows[2].seconds = 0.383;  // 0.038 seconds/mday
  EXPECT_DOUBLE_EQ(parse_timing_file(text.str(), "f").find("OCN")->seconds_per_day, 0.0383);
}

// get_timing.py truncates long counts of steps: a run of 2 days is stated as 1 day.
TEST(TimingFileParser, CorrectsTruncatedRunLengthByDaysOfOcean) {
  TimingText text;
  text.days = 1;
  const TimingFile file = parse_timing_file(replaced(text.str(), "(1 for ocean)", "(1.9988 for ocean)"), "f");
  EXPECT_EQ(file.run_days, 2);
  EXPECT_DOUBLE_EQ(file.find("ATM")->seconds_per_day, 200.25 / 2);
  EXPECT_DOUBLE_EQ(file.total_seconds_per_day.value(), 450.174 / 2);
  EXPECT_DOUBLE_EQ(file.throughput.value(), 2 * 5.26);
  EXPECT_DOUBLE_EQ(file.cost.value(), 36.51 / 2);
  ASSERT_THAT(file.warnings, SizeIs(2));
  EXPECT_EQ(file.warnings[0].severity, Severity::note);
  EXPECT_EQ(file.warnings[0].what, "truncated run length: 1 days, but the ocean ran 1.9988; 2 days are used");
  EXPECT_THAT(file.warnings[1].what, HasSubstr("set to stop after \"1\""));
}

TEST(TimingFileParser, CorrectsOneMissingDayOfTwenty) {
  TimingText text;
  text.days = 19;
  const std::string corrected =
      replaced(replaced(text.str(), "(19 for ocean)", "(20 for ocean)"), "stop_n = 19", "stop_n = 20");
  const TimingFile file = parse_timing_file(corrected, "f");
  EXPECT_EQ(file.run_days, 20);
  EXPECT_THAT(file.warnings, SizeIs(1)) << "the corrected length is the requested one";
}

// An ocean that is coupled once a day skips the first day, so that it does not show what is missing.
TEST(TimingFileParser, CorrectsTruncatedRunLengthByRequest) {
  const auto read = [](const char* stop, int days, const char* ocean) {
    TimingText text;
    text.days = days;
    const std::string of_days = fmt::format("({} for ocean)", days);
    const std::string requested = fmt::format("ndays, stop_n = {}", days);
    return parse_timing_file(replaced(replaced(text.str(), of_days, ocean), requested, stop), "f");
  };
  const TimingFile twenty = read("ndays, stop_n = 20", 19, "(19 for ocean)");
  EXPECT_EQ(twenty.run_days, 20);
  ASSERT_THAT(twenty.warnings, SizeIs(1));
  EXPECT_EQ(
      twenty.warnings[0].what,
      "truncated run length: 19 days, but the run was set to stop after \"20\" (\"ndays\"); 20 days are "
      "used");
  EXPECT_EQ(read("nhours, stop_n = 36", 1, "(1.4 for ocean)").run_days, 1.5);
  EXPECT_EQ(read("nhours, stop_n = 30", 1, "(1.4 for ocean)").run_days, 2) << "the ocean ran longer";
  EXPECT_EQ(read("ndays, stop_n = 20", 18, "(18 for ocean)").run_days, 18) << "two days are missing";
  EXPECT_EQ(read("nmonths, stop_n = 1", 30, "(30 for ocean)").run_days, 30) << "a month has 28 to 31 days";
}

TEST(TimingFileParser, KeepsRunLengthThatOceanDoesNotExceed) {
  for (const char* ocean : {"(9.958333333 for ocean)", "(10.0 for ocean)", "(10.000000001 for ocean)"}) {
    const TimingFile file = parse_timing_file(replaced(TimingText().str(), "(10 for ocean)", ocean), "f");
    EXPECT_EQ(file.run_days, 10) << ocean;
    EXPECT_THAT(file.warnings, IsEmpty()) << ocean;
  }
}

TEST(TimingFileParser, NamesLikelyCauseOfUnexpectedRunLength) {
  const auto hint = [](const char* stop) {
    const TimingFile file = parse_timing_file(replaced(TimingText().str(), "stop_n = 10", stop), "f");
    return file.warnings.at(0).suggestion;
  };
  EXPECT_THAT(hint("stop_n = 20"), HasSubstr("ended early"));
  EXPECT_THAT(hint("stop_n = 5"), HasSubstr("too many days"));
}

TEST(TimingFileParser, WarnsAboutContradictingSecondsPerDay) {
  const std::string text = replaced(TimingText().str(), "9.012 seconds/mday", "9.013 seconds/mday");
  EXPECT_THAT(parse_timing_file(text, "f").warnings, IsEmpty()) << "9.0125 may be rounded either way";
  const TimingFile file =
      parse_timing_file(replaced(TimingText().str(), "20.025 seconds/mday", "20.050 seconds/mday"), "f");
  ASSERT_THAT(file.warnings, SizeIs(1));
  EXPECT_THAT(file.warnings[0].what, HasSubstr("ATM: 200.25 seconds for 10 model days contradict 20.05"));
  EXPECT_EQ(file.warnings[0].line, 32U);
  EXPECT_DOUBLE_EQ(file.find("ATM")->seconds_per_day, 20.025);
}

TEST(TimingFileParser, WarnsAboutTotalThatContradictsRunLength) {
  const std::string text = replaced(TimingText().str(), "45.017 seconds/mday", "90.035 seconds/mday");
  const TimingFile file = parse_timing_file(text, "f");
  ASSERT_THAT(file.warnings, SizeIs(1));
  EXPECT_THAT(file.warnings[0].what, HasSubstr("TOT: 450.174 seconds for 10 model days contradict 90.035"));
}

// ESMCI/cime, issue 1118: 59 days were reported as 354.
TEST(TimingFileParser, WarnsAboutRunLongerThanRequested) {
  TimingText text;
  text.days = 354;
  const TimingFile file = parse_timing_file(replaced(text.str(), "stop_n = 354", "stop_n = 59"), "f");
  ASSERT_THAT(file.warnings, SizeIs(1));
  EXPECT_THAT(file.warnings[0].what,
              HasSubstr("354 days, but the run was set to stop after \"59\" (\"ndays\")"));
  EXPECT_EQ(file.warnings[0].line, 10U);
}

struct Stop {
  const char* option;
  int days;
  bool warns;
};

class RunLength : public ::testing::TestWithParam<Stop> {};

TEST_P(RunLength, MatchesStopOption) {
  const auto [option, days, warns] = GetParam();
  TimingText text;
  text.days = days;
  const std::string start = "stop option : ndays, stop_n = " + std::to_string(days);
  const TimingFile file =
      parse_timing_file(replaced(text.str(), start, "stop option : " + std::string(option)), "f");
  EXPECT_EQ(file.warnings.size(), warns ? 1U : 0U) << option;
}

INSTANTIATE_TEST_SUITE_P(
    Options, RunLength,
    ::testing::Values(Stop{"nmonths, stop_n = 2", 59, false}, Stop{"nmonths, stop_n = 2", 354, true},
                      Stop{"nyears, stop_n = 2", 731, false}, Stop{"nyears, stop_n = 2", 365, true},
                      Stop{"nhours, stop_n = 48", 2, false}, Stop{"nhours, stop_n = 48", 48, true},
                      Stop{"nsteps, stop_n = 48", 5, false}, Stop{"date, stop_n = -999", 5, false},
                      Stop{"never", 5, false}));

TEST(TimingFileParser, DetectsProfilesByHeading) {
  EXPECT_TRUE(is_timing_profile(TimingText().str()));
  EXPECT_TRUE(is_timing_profile("\n\n---------------- CCSM TIMING PROFILE ---------------------\r\n"));
  EXPECT_FALSE(is_timing_profile(""));
  EXPECT_FALSE(is_timing_profile("\n"));
  EXPECT_FALSE(is_timing_profile("--------------"));
  EXPECT_FALSE(is_timing_profile("***** GLOBAL STATISTICS ( 2 MPI TASKS) *****\n"));
  EXPECT_FALSE(is_timing_profile("------------- VIC TIMING PROFILE -------------\n"));
  EXPECT_FALSE(is_timing_profile("log\n---------------- TIMING PROFILE ---------------------\n"));
}

}  // namespace
}  // namespace plimsoll::pelayout
