#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/statistics_text.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::replaced;
using plimsoll::testing::statistics_of_example;
using plimsoll::testing::StatisticsText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> names(const TimingFile& run) {
  std::vector<std::string> names;
  for (const ComponentTiming& timing : run.components) names.push_back(timing.component);
  return names;
}

TEST(TimingStatistics, HaveTheTimesOfTheProfile) {
  const TimingFile profile = parse_timing_file(plimsoll::testing::TimingText().str(), "profile");
  const TimingFile run = parse_timing_statistics(statistics_of_example().str(), "statistics", 48);
  EXPECT_THAT(names(run), ElementsAre("CPL", "ATM", "OCN"));
  for (const ComponentTiming& expected : profile.components) {
    const ComponentTiming& timing = *run.find(expected.component);
    EXPECT_EQ(timing.tasks, expected.tasks) << expected.component;
    EXPECT_DOUBLE_EQ(timing.seconds, expected.seconds) << expected.component;
    EXPECT_DOUBLE_EQ(timing.seconds_per_day, expected.seconds_per_day) << expected.component;
  }
  EXPECT_EQ(run.run_days, 10);
  EXPECT_NEAR(*run.total_seconds, *profile.total_seconds, 1e-9)
      << "the loop and the shortest time of writing";
  EXPECT_NEAR(*run.total_seconds_per_day, *profile.total_seconds_per_day, 1e-9);
  EXPECT_NEAR(*run.throughput, *profile.throughput, 0.005);
  EXPECT_DOUBLE_EQ(*run.coupling_seconds_per_day, *profile.coupling_seconds_per_day);
  EXPECT_EQ(run.processors, profile.processors);
  EXPECT_EQ(run.find("OCN")->root, 96);
  EXPECT_TRUE(run.is_from_statistics);
  EXPECT_THAT(run.warnings, IsEmpty());
}

// The profile of CIME 5.6 and the statistics from which get_timing.py computes it. The statistics contain the
// numbers of the profile before the correction for the first ocean step: 95 of 96 steps took 0.083 s.
TEST(TimingStatistics, AgreeWithRealProfile) {
  PLIMSOLL_NEED_SHARED("data/cime/real-timing");
  const TimingFile profile = read_timing_file(
      plimsoll::testing::shared_path("data/cime/real-timing/n4_cesm_timing.x2.261121-030826"));
  const StatisticsText statistics{.ranks = 4,
                                  .rows = {{"CPL:INIT", 4, 1, 0.94, 0.9},
                                           {"CPL:RUN_LOOP", 4, 96, 23.502, 23.5},
                                           {"CPL:CLOCK_ADVANCE", 4, 96, 0.008, 0.006},
                                           {"CPL:RUN", 4, 1000, 3.746, 1},
                                           {"CPL:COMM", 4, 1000, 1.917, 1},
                                           {"CPL:C2O_INITWAIT", 4, 1, 0.6, 0.535},
                                           {"CPL:ICE_RUN", 4, 96, 0.366, 0.214},
                                           {"CPL:LND_RUN", 4, 96, 3.75, 2},
                                           {"CPL:ATM_RUN", 4, 96, 0.755, 0.338},
                                           {"CPL:OCN_RUN", 4, 95, 0.083, 0.074},
                                           {"CPL:TPROF_WRITE", 4, 96, 0.002, 0.002}}};
  const TimingFile run = parse_timing_statistics(statistics.str(), "statistics", 48);
  EXPECT_EQ(run.run_days, profile.run_days);
  EXPECT_NEAR(*run.total_seconds, *profile.total_seconds, 0.0005);
  for (const ComponentTiming& timing : run.components) {
    const ComponentTiming& expected = *profile.find(timing.component);
    EXPECT_EQ(timing.tasks, expected.tasks) << timing.component;
    EXPECT_EQ(timing.root, expected.root) << timing.component;
    EXPECT_NEAR(timing.seconds, expected.seconds, 0.0005) << timing.component;
    EXPECT_NEAR(timing.seconds_per_day, expected.seconds_per_day, 0.0005) << timing.component;
  }
}

// Lines of the run L at low resolution in E3SM-Project/perf-data, directory v2-narrm: 90 days on 6,720 ranks.
constexpr const char* e3sm_lines =
    "\n***** GLOBAL STATISTICS (  6720 MPI TASKS) *****\n\n"
    "name       on  processes  threads        count      walltotal   wallmax (proc   thrd  )   wallmin\n"
    "\"CPL:RUN_LOOP\"      - 6720 6720 2.903040e+07 3.592167e+06 535.146 (     0 0) 532.262 (  6544 0)\n"
    "\"CPL:CLOCK_ADVANCE\" - 6720 6720 2.903040e+07 2.777348e+03   0.467 (   320 0)   0.379 (  5405 0)\n"
    "\"CPL:RUN\"           - 6720 6720 4.363722e+08 3.033368e+05  74.903 (  5377 0)   0.012 (  6593 0)\n"
    "\"CPL:LNDPREP\"       - 5440 5440 2.350080e+07 2.791513e+03   1.505 (   429 0)   0.283 (  2859 0)\n"
    "\"CPL:COMM\"          - 6720 6720 2.068858e+08 3.011217e+05 447.834 (  5419 0)   3.460 (  5760 0)\n"
    "\"CPL:ICE_RUN\"       - 5120 5120 2.211840e+07 6.094676e+05 132.350 (  2096 0) 117.606 (  2473 0)\n"
    "\"i:PIO:syncfile\"    - 5120 5120 2.211840e+07 3.061727e+01   0.008 (     0 0)   0.003 (  5119 0)\n"
    "\"CPL:ATM_RUN\"       - 5400 5400 2.332800e+07 1.689507e+06 325.933 (   321 0) 305.860 (  1699 0)\n"
    "\"a_i:get_decomp\"    - 5400 5400 1.836000e+05 3.048087e+03   0.565 (     0 0)   0.564 (  1214 0)\n"
    "\"CPL:LND_RUN\"       -  320  320 1.382400e+06 6.582842e+03  23.921 (  5120 0)  16.777 (  5404 0)\n"
    "\"CPL:ROF_RUN\"       -  320  320 2.304000e+05 1.568645e+03   5.522 (  5344 0)   4.282 (  5155 0)\n"
    "\"r_i:mosarti_grid\"  -  320  320 3.200000e+02 3.879030e+01   0.123 (  5120 0)   0.120 (  5180 0)\n"
    "\"CPL:OCN_RUN\"       - 1280 1280 5.528320e+06 5.861154e+05 466.076 (  5764 0) 429.804 (  6274 0)\n"
    "\"o:PIO:pio_swapm\"   - 1280 1280 1.203200e+05 1.124202e+03   1.001 (  6463 0)   0.544 (  5440 0)\n"
    "\"PIO:finalize\"      - 6720 6720 6.720000e+04 6.126114e+01   0.170 (  5376 0)   0.000 (  6710 0)\n"
    "\"CPL:FINAL_t_prf\"   y    0    0 0.000000e+00 0.000000e+00   0.000 (     0 0)   0.000 (     0 0)\n\n";

TEST(TimingStatistics, ReadRealRunOfE3sm) {
  const TimingFile run = parse_timing_statistics(e3sm_lines, "L-model_timing_stats", 48);
  EXPECT_EQ(run.run_days, 90);
  EXPECT_THAT(names(run), ElementsAre("CPL", "ATM", "LND", "ICE", "OCN", "ROF"));
  EXPECT_DOUBLE_EQ(run.find("ATM")->seconds_per_day, 325.933 / 90);
  EXPECT_DOUBLE_EQ(run.find("OCN")->seconds, 466.076 + 466.076 / 4319)
      << "the ocean skipped one of 4320 steps";
  EXPECT_DOUBLE_EQ(*run.total_seconds, 535.146 + 466.076 / 4319);
  const auto expect_ranks = [&](const char* component, std::int64_t tasks, std::int64_t root) {
    EXPECT_EQ(run.find(component)->tasks, tasks) << component;
    EXPECT_EQ(run.find(component)->root, root) << component;
    EXPECT_EQ(run.find(component)->stride, 1) << component;
    EXPECT_EQ(run.find(component)->threads, 1) << component;
  };
  expect_ranks("ATM", 5400, 0);
  expect_ranks("ICE", 5120, 0);
  expect_ranks("LND", 320, 5120);
  expect_ranks("ROF", 320, 5120);
  expect_ranks("OCN", 1280, 5440);
  expect_ranks("CPL", 5440, 429);
}

TEST(TimingStatistics, DeriveThreadsAndStrides) {
  StatisticsText text = statistics_of_example();
  text.rows.push_back({"a:radiation", 64, 480, 20, 10, 192, 0, 126});
  const TimingFile run = parse_timing_statistics(text.str(), "statistics", 48);
  EXPECT_EQ(run.find("ATM")->threads, 3);
  EXPECT_EQ(run.find("ATM")->stride, 2);
  EXPECT_EQ(run.find("OCN")->threads, 1);
}

TEST(TimingStatistics, UseTightlyCoupledOcean) {
  StatisticsText text = statistics_of_example();
  for (auto& row : text.rows)
    if (row.name == "CPL:OCN_RUN") row.name = "CPL:OCNT_RUN";
  EXPECT_EQ(parse_timing_statistics(text.str(), "statistics", 48).find("OCN")->seconds, 90.125);
}

// A run of five days whose ocean is coupled once a day skips the first of five ocean steps. The ocean's ranks
// waited for 4 s, so the total grows by 22.53125 - 4 s.
TEST(TimingStatistics, AddSkippedStepOfDailyOcean) {
  StatisticsText text = statistics_of_example();
  for (auto& row : text.rows) {
    if (row.calls_of_rank == 480) row.calls_of_rank = 240;
    if (row.name == "CPL:OCN_RUN") row.calls_of_rank = 4;
  }
  text.rows.push_back({"CPL:C2O_INITWAIT", 32, 1, 5, 4, 0, 96});
  const TimingFile run = parse_timing_statistics(text.str(), "statistics", 48);
  EXPECT_DOUBLE_EQ(run.find("OCN")->seconds, 90.125 * 5 / 4);
  EXPECT_DOUBLE_EQ(*run.total_seconds, 450.174 + 22.53125 - 4);
}

TEST(TimingStatistics, GiveTimesPerStepIfTheDaysAreUnknown) {
  const std::string text = statistics_of_example().str();
  const TimingFile unknown = parse_timing_statistics(text, "statistics");
  EXPECT_FALSE(unknown.knows_days());
  EXPECT_EQ(unknown.steps, 480);
  EXPECT_DOUBLE_EQ(unknown.find("ATM")->seconds_per_day, 200.25 / 480);
  EXPECT_DOUBLE_EQ(*unknown.total_seconds_per_day, 450.174 / 480);
  EXPECT_FALSE(unknown.throughput.has_value()) << "a year has an unknown number of steps";
  ASSERT_EQ(unknown.warnings.size(), 1U);
  EXPECT_THAT(to_string(unknown.warnings[0]),
              HasSubstr("costs are per coupling step, of which the run has 480"));
  EXPECT_THAT(unknown.warnings[0].suggestion, HasSubstr("set --steps_per_day"));
  EXPECT_EQ(parse_timing_statistics(text, "statistics", 48).run_days, 10);
  EXPECT_EQ(parse_timing_statistics(text, "statistics", 96).run_days, 5);
  EXPECT_THAT(parse_timing_statistics(text, "statistics", 96).warnings, IsEmpty());
  const TimingFile part = parse_timing_statistics(text, "statistics", 50);
  EXPECT_EQ(part.run_days, 9.6);
  ASSERT_EQ(part.warnings.size(), 1U);
  EXPECT_THAT(to_string(part.warnings[0]),
              HasSubstr("480 coupling steps are 9.6 days of 50 steps each: expected whole days"));
}

TEST(TimingStatistics, ReadRunsWithoutWholeDays) {
  StatisticsText text = statistics_of_example();
  for (auto& row : text.rows)
    if (row.calls_of_rank == 480) row.calls_of_rank = 479;
  EXPECT_EQ(parse_timing_statistics(text.str(), "statistics").steps, 479);
  EXPECT_DOUBLE_EQ(parse_timing_statistics(text.str(), "statistics", 48).run_days, 479.0 / 48);
  for (const std::int64_t steps : {-1, 0, 86401})
    EXPECT_ERROR(parse_timing_statistics(text.str(), "statistics", steps), usage, "between 1 and 86400");
}

// GPTL 3 has no column "on". Counts with 7 digits give whole steps also if 17,280 x 6,144 is rounded.
TEST(TimingStatistics, AcceptOldColumnsAndRoundedCounts) {
  std::string text = "***** GLOBAL STATISTICS (  6144 MPI TASKS) *****\n\n";
  text += "name  processes threads count walltotal wallmax (proc thrd ) wallmin (proc thrd )\n";
  for (const char* name : {"CPL:RUN_LOOP", "CPL:CLOCK_ADVANCE", "CPL:ATM_RUN"})
    text += StatisticsText::line({name, 6144, 17280, 29064.085, 27759.007}, "");
  const TimingFile run = parse_timing_statistics(text, "statistics", 864);
  EXPECT_EQ(run.run_days, 20);
  EXPECT_DOUBLE_EQ(run.find("ATM")->seconds_per_day, 29064.085 / 20);
  EXPECT_EQ(run.find("CPL"), nullptr);
}

TEST(TimingStatistics, TakeLogIdAndDriverFromPath) {
  const std::string text = statistics_of_example().str();
  const TimingFile run =
      parse_timing_statistics(text, "timing/cesm_timing_0002_stats.123.260101-120000.gz", 48);
  EXPECT_EQ(run.log_id, "260101-120000");
  EXPECT_EQ(run.driver_instance, 2);
  const TimingFile inside =
      parse_timing_statistics(text, "a/t.tar.gz:timing.260102-130000/model_timing_stats", 48);
  EXPECT_EQ(inside.log_id, "260102-130000");
  EXPECT_EQ(inside.driver_instance, 0);
  EXPECT_EQ(parse_timing_statistics(text, "run-1234567-260101/model_timing_stats", 48).log_id, "");
}

TEST(TimingStatistics, RejectOtherTexts) {
  const auto refuse = [](const std::string& text, const std::string& why) {
    EXPECT_ERROR(parse_timing_statistics(text, "statistics", 48), bad_input, why);
  };
  const std::string text = statistics_of_example().str();
  refuse("", "missing line \"GLOBAL STATISTICS\"");
  refuse("Stats for thread 0:\n", "the first line must contain \"GLOBAL STATISTICS\"");
  refuse("***** GLOBAL STATISTICS ( 4 MPI TASKS) *****\n\"main\" - 4 4 4 8 2 (0 0) 2 (3 0)\n",
         "not a run of CIME's driver: missing timer \"CPL:RUN_LOOP\"");
  refuse("***** GLOBAL STATISTICS ( x MPI TASKS) *****\n", "the number of MPI tasks");
  refuse("***** GLOBAL STATISTICS ***\n", "the number of MPI tasks");
  refuse(replaced(text, "CPL:CLOCK_ADVANCE", "CPL:OTHER"), "missing timer \"CPL:CLOCK_ADVANCE\"");
  refuse(replaced(replaced(text, "CPL:ATM_RUN\"", "CPL:XXX_RUN\""), "CPL:OCN_RUN", "CPL:YYY_RUN"),
         "no component ran");
  refuse(text.substr(0, text.find("CPL:OCN_RUN") + 60), "the file ends in this line");
  refuse(replaced(text, "200.250 (", "-1.000 ("), "must be >= 0");
  refuse(replaced(text, "200.250 (", "nan ("), "expected a number");
  refuse(replaced(text, "200.250 (     0", "200.250 (   500"), "more ranks than the run");
  refuse(replaced(text, "( ", "( -"), "the number of MPI tasks");
  refuse(replaced(text, "GLOBAL STATISTICS (  128", "GLOBAL STATISTICS (  32"), "more ranks than the run");
  refuse(text + std::string(70'000, 'x') + "\n", "line too long");
}

// GPTL writes an empty line after the timers, so a file that ends with a timer lacks others.
TEST(TimingStatistics, WarnAboutMissingEnd) {
  const std::string text = statistics_of_example().str();
  const std::string cut = text.substr(0, text.find("\"CPL:OCN_RUN"));
  const TimingFile run = parse_timing_statistics(cut, "statistics", 48);
  EXPECT_EQ(run.find("OCN"), nullptr);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_THAT(to_string(run.warnings[0]), HasSubstr("the file may be truncated"));
}

TEST(TimingStatistics, RecogniseTheirTitle) {
  EXPECT_TRUE(is_timing_statistics("\n\n***** GLOBAL STATISTICS (  6720 MPI TASKS) *****\n"));
  EXPECT_TRUE(is_timing_statistics("************ GLOBAL STATISTICS (     2 MPI TASKS) ************"));
  EXPECT_FALSE(is_timing_statistics("GLOBAL STATISTICS"));
  EXPECT_FALSE(is_timing_statistics(plimsoll::testing::TimingText().str()));
  EXPECT_FALSE(is_timing_statistics(""));
}

}  // namespace
}  // namespace plimsoll::pelayout
