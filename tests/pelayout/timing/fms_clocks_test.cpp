// Tests the reader of FMS clocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/throws_error.hpp"
#include "pelayout/timing/mutations.hpp"
#include "pelayout/timing/search_folder.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::error_of;
using plimsoll::testing::mutated;
using plimsoll::testing::replaced;

/// The end of the output of a coupled model of GFDL: its ocean runs on ranks of its own. Newer versions have
/// the column "hits".
const std::string with_hits =
    " MPP_DOMAINS_STACK high water mark=      380512\n\n"
    "Tabulating mpp_clock statistics across     96 PEs...\n\n"
    "                                   hits          tmin          tmax          tavg          tstd  tfrac "
    "grain pemin pemax\n"
    "Total runtime                         1    500.600000    500.700000    500.650000      0.010000  1.000  "
    "   "
    "0     0    95\n"
    "Initialization                        1     90.000000     90.000000     90.000000      0.000000  0.180  "
    "   "
    "0     0    95\n"
    "Main loop                             1    400.000000    400.500000    400.250000      0.000000  0.800  "
    "   "
    "0     0    95\n"
    "Ice                                 240     29.872240     43.965854     34.461424      2.345482  0.069  "
    "   "
    "1     0    63\n"
    "Atmosphere                          480    300.000000    301.000000    300.500000      0.100000  0.600  "
    "   "
    "1     0    63\n"
    "Ocean                               240    380.000000    390.000000    385.000000      0.100000  0.769  "
    "   "
    "1    64    95\n"
    "(Ocean tracer advection)             48      4.427230      4.427230      4.427230      0.000000  0.010  "
    "  "
    "21    64    95\n"
    "Ocean grid generation and remapp      0      0.000000      0.000000      0.000000      0.000000  0.000  "
    "  "
    "11    64    95\n"
    " MPP_STACK high water mark=          0\n";

/// The end of the output of the ocean of ACCESS-OM2, which is coupled by OASIS.
const std::string access =
    " log of the model\n\nTabulating mpp_clock statistics across     49 PEs...\n\n"
    "                                         tmin          tmax          tavg          tstd  tfrac grain "
    "pemin "
    "pemax\n"
    "Total runtime                    16282.797785  16282.797792  16282.797789      0.000001  1.000     0    "
    " 0 "
    "   48\n"
    "Ocean                            15969.542784  16000.704550  15986.765795      8.643639  0.982     1    "
    " 0 "
    "   48\n"
    "(Red Sea/Gulf Bay salinity fix)      0.024143      0.077235      0.040902      0.013836  0.000    31    "
    " 0 "
    "   48\n"
    "OASIS init                           0.231678      0.232671      0.232397      0.000242  0.000     1    "
    " 0 "
    "   48\n"
    "oasis_recv                         168.797136    171.648384    170.460762      0.650894  0.010    31    "
    " 0 "
    "   48\n"
    " MPP_STACK high water mark=          0\n MOM5: --- completed ---\n";

TEST(FmsClocks, HaveComponentsOfCoupledModels) {
  const TimingFile run = parse_fms_clocks(with_hits, "fms.out", {.steps_per_day = 48});
  ASSERT_EQ(run.components.size(), 3U);
  EXPECT_EQ(run.coupler, Coupler::fms);
  EXPECT_EQ(run.steps, 480);
  EXPECT_EQ(run.run_days, 10);
  EXPECT_EQ(run.processors, 96);
  EXPECT_EQ(run.total_seconds, 400.5) << "the main loop, without initialisation";
  const ComponentTiming& ocean = *run.find("OCN");
  EXPECT_EQ(ocean.tasks, 32);
  EXPECT_EQ(ocean.root, 64);
  EXPECT_EQ(ocean.seconds, 390);
  EXPECT_EQ(ocean.seconds_per_day, 39);
  EXPECT_EQ(run.find("ATM")->tasks, 64);
  EXPECT_DOUBLE_EQ(run.find("ICE")->work->imbalance, 43.965854 / 34.461424);
}

TEST(FmsClocks, CountWaitingForOtherModelsOfOasis) {
  const TimingFile run = parse_fms_clocks(access, "access-om2.out", {.run_days = 90});
  ASSERT_EQ(run.components.size(), 1U);
  const ComponentTiming& ocean = *run.find("OCN");
  EXPECT_EQ(ocean.tasks, 49);
  EXPECT_NEAR(ocean.work->waiting_seconds, 170.460762, 1e-9);
  EXPECT_EQ(ocean.work->work_seconds, 15986.765795 - 170.460762);
  EXPECT_EQ(run.total_seconds, 16282.797792);
  EXPECT_EQ(run.run_days, 90);
  EXPECT_FALSE(parse_fms_clocks(access, "access-om2.out").steps) << "older versions count no calls";
}

class FmsSearch : public plimsoll::testing::SearchFolder {};

TEST_F(FmsSearch, FindsClocksAtTheEndOfLongOutput) {
  add("fms.out", std::string(20'000, '.') + "\n" + with_hits);
  EXPECT_EQ(found({.files = {folder / "fms.out"}, .facts = {.steps_per_day = 48}}).size(), 1U);
  EXPECT_EQ(read_timing_file(folder / "fms.out", {.steps_per_day = 48}).run_days, 10);
}

TEST(FmsClocks, AreRejectedIfBroken) {
  const auto refuse = [](const std::string& text, const std::string& why) {
    EXPECT_ERROR(parse_fms_clocks(text, "out", {.steps_per_day = 48}), bad_input, why);
  };
  refuse("", "not FMS clocks");
  refuse(replaced(with_hits, " tmin ", " tmax "),
         "out:5: unknown columns of the table of clocks: expected \"tmin\"");
  refuse(replaced(with_hits, "301.000000", "       nan"),
         "out:10: invalid value \"nan\" for the maximum time");
  refuse(replaced(with_hits, "300.500000", "400.500000"), "out:10: invalid mean time 400.5");
  refuse(replaced(with_hits, "1    64    95", "1    64    96"),
         "out:11: the last PE is 96, but the run has 96");
  refuse(replaced(with_hits, "1    64    95", "1    64    63"), "the last PE: must be between 64");
  refuse(with_hits.substr(0, with_hits.find("385.000000")), "out:11: the file ends in this line");
  refuse(replaced(access, "Ocean    ", "Sea      "), "no clock of a component");
}

TEST(FmsClocks, AreRejectedIfRowsFollowTheTable) {
  const std::size_t ocean = with_hits.find("Ocean ");
  const std::string cut = with_hits.substr(0, ocean) + "\n" + with_hits.substr(ocean);
  EXPECT_ERROR(parse_fms_clocks(cut, "out"), bad_input,
               "out:12: a row of clocks after the end of the table of clocks");
  const TimingFile first = parse_fms_clocks(with_hits + access, "out", {.run_days = 1});
  EXPECT_EQ(first.components.size(), 3U) << "a second table, such as that of another model";
  ASSERT_EQ(first.warnings.size(), 1U);
  EXPECT_EQ(to_string(first.warnings.front()),
            "out:17: second table of clocks in this file: only the first one is read "
            "[second-table]; use a separate file for each run");
}

TEST(FmsClocks, NoteWhatTheyLack) {
  const auto note_of = [](const std::string& text) {
    const TimingFile run = parse_fms_clocks(text, "out", {.run_days = 1});
    return run.warnings.empty() ? "" : to_string(run.warnings.front());
  };
  EXPECT_EQ(note_of(with_hits), "");
  EXPECT_EQ(note_of(replaced(with_hits, "Main loop", "Main hoop")),
            "out: no clock \"Main loop\": the total includes the initialisation [total-runtime]");
  EXPECT_EQ(note_of(replaced(with_hits, "Atmosphere", "Atmospherx")),
            "out: the clock \"Atmospherx\" of grain 1 took 301 s, but is not Atmosphere, Land, Ice or Ocean; "
            "skipped [other-clock]");
}

TEST(FmsClocks, SurviveMutations) {
  std::mt19937 random(11);
  int rejected = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string text = mutated(k % 2 == 0 ? with_hits : access, random);
    const auto error = error_of([&] {
      const TimingFile run = parse_fms_clocks(text, "out");
      for (const ComponentTiming& timing : run.components) {
        EXPECT_GE(timing.seconds, 0);
        EXPECT_LE(timing.root + timing.tasks, *run.processors);
        EXPECT_GE(timing.work->imbalance, 1);
      }
    });
    if (!error) continue;
    ++rejected;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(error->diagnostic().file, "out");
  }
  EXPECT_GT(rejected, 20);
  EXPECT_LT(rejected, 200);
}

}  // namespace
}  // namespace plimsoll::pelayout
