// Tests runs that are read from ESMF profiles, and the division of times of timing profiles by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/esmf_text.hpp"
#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/mutations.hpp"
#include "pelayout/timing/search_folder.hpp"
#include "pelayout/timing/tar_bytes.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::esmf_example;
using plimsoll::testing::EsmfText;
using plimsoll::testing::gzip_bytes;
using plimsoll::testing::tar_bytes;
using plimsoll::testing::TimingText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The timing profile that CIME makes from the ESMF profile of the example.
TimingText profile_of_esmf_example() {
  TimingText text;
  text.total_seconds = 450.5;
  text.rows = {{"CPL", "cpl", 80, 12},  {"ATM", "cam", 64, 200.25}, {"OCN", "pop", 32, 90.125, 1, 80},
               {"ICE", "cice", 64, 80}, {"LND", "clm", 64, 70},     {"WAV", "ww3", 32, 90, 1, 48}};
  return text;
}

class EsmfRuns : public plimsoll::testing::SearchFolder {
 protected:
  std::vector<std::string> found_in(std::vector<std::string> names,
                                    std::optional<std::int64_t> steps_per_day = 48) {
    for (std::string& name : names) name = folder / name;
    return found({.files = names, .facts = {.steps_per_day = steps_per_day}});
  }
};

TEST_F(EsmfRuns, AreReadFromTheProfileAlone) {
  add("ESMF_Profile.summary", esmf_example().str());
  EXPECT_THAT(found_in({"ESMF_Profile.summary"}), ElementsAre("ESMF_Profile.summary"));
  const TimingFile& run = files.files[0];
  EXPECT_EQ(run.run_days, 10);
  EXPECT_EQ(run.steps, 480);
  EXPECT_EQ(run.processors, 112);
  EXPECT_EQ(run.total_seconds, 450.5);
  EXPECT_EQ(run.total_seconds_per_day, 45.05);
  EXPECT_DOUBLE_EQ(*run.throughput, 86400 * 10 / (365 * 450.5));
  EXPECT_DOUBLE_EQ(*run.coupling_seconds_per_day, 6.2);
  EXPECT_EQ(run.find("ATM")->tasks, 64);
  EXPECT_EQ(run.find("ATM")->seconds, 200.25);
  EXPECT_EQ(run.find("ATM")->seconds_per_day, 20.025);
  EXPECT_EQ(run.find("CPL")->seconds, 12) << "the phases of the mediator";
  EXPECT_EQ(run.find("OCN")->root, 80);
  EXPECT_EQ(run.find("WAV")->work->work_seconds, 11);
  EXPECT_EQ(run.find("WAV")->work->waiting_seconds, 44);
  EXPECT_THAT(warnings(), ElementsAre(AllOf(HasSubstr("does not show the first rank of each component"),
                                            HasSubstr("WAV 48 (between 39 and 50)"))));
}

TEST_F(EsmfRuns, HaveTimesPerStepIfTheDaysAreUnknown) {
  add("ESMF_Profile.summary", esmf_example().str());
  found_in({"ESMF_Profile.summary"}, {});
  EXPECT_FALSE(files.files[0].knows_days());
  EXPECT_DOUBLE_EQ(files.files[0].find("ATM")->seconds_per_day, 200.25 / 480);
  EXPECT_THAT(warnings()[0], HasSubstr("costs are per coupling step"));
  std::vector<Diagnostic> ignored;
  EXPECT_EQ(gather_timings(files.files, {}, ignored).unit, CostUnit::seconds_per_step);

  std::vector<TimingFile> both = files.files;
  both.push_back(parse_timing_file(TimingText().str(), "profile"));
  EXPECT_ERROR(gather_timings(both, {}, ignored), bad_input,
               "ESMF_Profile.summary: unknown number of model days, which profile has");
}

TEST_F(EsmfRuns, DivideTheTimesOfTheTimingProfile) {
  add("cesm_timing.case_a.260101-120000", profile_of_esmf_example().str());
  add("cesm.ESMF_Profile.summary.260101-120000.gz", gzip_bytes(esmf_example().str()));
  const auto expect_division = [&](const TimingSearch& search) {
    EXPECT_EQ(found(search).size(), 1U);
    const TimingFile& run = files.files.at(0);
    EXPECT_FALSE(run.is_from_statistics);
    for (const ComponentTiming& timing : run.components) EXPECT_TRUE(timing.work) << timing.component;
    EXPECT_EQ(run.find("WAV")->work->waiting_seconds, 44);
    EXPECT_EQ(run.find("WAV")->work->waits_for, "ICE");
    EXPECT_EQ(run.find("WAV")->seconds, 90) << "the time of CIME's profile stays";
    EXPECT_EQ(run.find("ICE")->work->slowest_work_seconds(), 80);
    EXPECT_EQ(run.find("CPL")->work->work_seconds, 5);
  };
  expect_division({.folders = {folder.path()}});
  EXPECT_THAT(warnings(), IsEmpty());
  expect_division({.files = {folder / "cesm_timing.case_a.260101-120000"}});
  EXPECT_THAT(warnings(), IsEmpty());
  expect_division({.files = {folder / "cesm.ESMF_Profile.summary.260101-120000.gz"}});
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("the timing profile")));
}

TEST_F(EsmfRuns, DivideTheTimesOfASingleFile) {
  add("cesm_timing.case_a.260101-120000", profile_of_esmf_example().str());
  EXPECT_FALSE(read_timing_file(folder / "cesm_timing.case_a.260101-120000").find("WAV")->work);
  add("cesm.ESMF_Profile.summary.260101-120000", esmf_example().str());
  EXPECT_EQ(read_timing_file(folder / "cesm_timing.case_a.260101-120000").find("WAV")->work->waiting_seconds,
            44);
  add("cesm.ESMF_Profile.summary.260101-120000", "Region\n");
  const TimingFile run = read_timing_file(folder / "cesm_timing.case_a.260101-120000");
  EXPECT_FALSE(run.find("WAV")->work);
  EXPECT_THAT(to_string(run.warnings.at(0)), HasSubstr("not an ESMF profile"));
}

TEST_F(EsmfRuns, DivideTimesOfCases) {
  add("lbt_1/timing/cesm_timing.lbt_1.260101-120000", profile_of_esmf_example().str());
  add("lbt_1/timing/cesm.ESMF_Profile.summary.260101-120000", esmf_example().str());
  add("lbt_2/timing/cesm.ESMF_Profile.summary.260101-130000", esmf_example().str());
  found({.casename_prefixes = {"lbt"}, .facts = {.steps_per_day = 48}});
  ASSERT_EQ(files.files.size(), 2U);
  EXPECT_TRUE(files.files[0].find("ATM")->work);
  EXPECT_TRUE(files.files[1].is_from_statistics) << "a run without a timing profile";
}

TEST_F(EsmfRuns, AreReadFromArchives) {
  add("runs.tar", tar_bytes({{"timing/cesm_timing.case_a.260101-120000", profile_of_esmf_example().str()},
                             {"timing/cesm.ESMF_Profile.summary.260101-120000", esmf_example().str()}}));
  EXPECT_EQ(found_in({"runs.tar"}).size(), 1U);
  EXPECT_EQ(files.files[0].find("WAV")->work->waiting_seconds, 44);
}

TEST_F(EsmfRuns, OfOtherTimesDivideNothing) {
  TimingText other = profile_of_esmf_example();
  other.rows[1].seconds = 210;
  add("cesm_timing.case_a.260101-120000", other.str());
  add("cesm.ESMF_Profile.summary.260101-120000", esmf_example().str());
  add("cesm.ESMF_Profile.summary.260101-130000", esmf_example().str());
  found_in({"cesm_timing.case_a.260101-120000"});
  EXPECT_FALSE(files.files[0].find("ATM")->work);
  EXPECT_TRUE(files.files[0].find("OCN")->work);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("has other times or tasks of ATM than this file")));
}

TEST_F(EsmfRuns, ReportBrokenProfileNextToTheTimingProfile) {
  add("cesm_timing.case_a.260101-120000", profile_of_esmf_example().str());
  add("cesm.ESMF_Profile.summary.260101-120000", esmf_example().str().substr(0, 700));
  found_in({"cesm_timing.case_a.260101-120000"});
  EXPECT_FALSE(files.files.at(0).find("ATM")->work);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("summary.260101-120000:6: the file ends in this line")));
}

TEST_F(EsmfRuns, WarnAboutMissingEnd) {
  EsmfText text = esmf_example();
  text.rows.pop_back();
  add("ESMF_Profile.summary", text.str());
  found_in({"ESMF_Profile.summary"});
  EXPECT_THAT(warnings()[0], HasSubstr("missing region \"Finalize\": the file may be truncated"));
}

TEST_F(EsmfRuns, CostTheirWorkIfTheyWait) {
  add("cesm_timing.case_a.260101-120000", profile_of_esmf_example().str());
  add("cesm.ESMF_Profile.summary.260101-120000", esmf_example().str());
  found_in({"cesm_timing.case_a.260101-120000"});
  std::vector<Diagnostic> notes;
  const Problem problem = gather_timings(files.files, {}, notes);
  const auto cost = [&](const char* name) { return problem.find(name)->samples.at(0).cost; };
  EXPECT_EQ(cost("WAV"), 1.1) << "9 s/day on the slowest rank, which waits for ICE";
  EXPECT_DOUBLE_EQ(cost("LND"), 2.1);
  EXPECT_EQ(cost("ICE"), 8) << "its slowest rank works that long";
  EXPECT_EQ(cost("ATM"), 20.025);
  std::vector<std::string> texts;
  for (const Diagnostic& note : notes) texts.push_back(note.what);
  EXPECT_THAT(texts, ::testing::IsSupersetOf(
                         {"WAV on 32 tasks: 4.4 of 5.5 s/day are waiting for ICE, not work; its cost is 1.1",
                          "ICE on 64 tasks: the slowest rank works 2 x the mean (8 and 4 s/day): improve its "
                          "decomposition, a layout does not help"}));
  EXPECT_EQ(
      gather_timings(files.files, {.unit = CostUnit::total_seconds}, notes).find("WAV")->samples[0].cost, 11);
}

// The ranks wait 0.4 % of the run on average, but the slowest one 1.6 %, which would count twice.
TEST(CostOfComponent, ExcludesWaitingOfSlowestRank) {
  TimingFile run;
  run.run_days = 10;
  run.total_seconds = 1000;
  ComponentTiming land = {.component = "LND", .tasks = 64, .seconds = 24, .seconds_per_day = 2.4};
  land.work = WorkTiming{.work_seconds = 5, .waiting_seconds = 4, .imbalance = 1.6};
  EXPECT_DOUBLE_EQ(cost_of(land, run, CostUnit::seconds_per_day), 0.8);
  run.total_seconds = 2000;
  EXPECT_DOUBLE_EQ(cost_of(land, run, CostUnit::seconds_per_day), 2.4) << "less than 1 % of the run";
}

// A changed profile is rejected with its file and line, or read with times that are consistent.
TEST(EsmfProfileParser, SurvivesMutations) {
  std::vector<std::string> texts = {esmf_example().str()};
  const std::string real =
      "data/cime/cmeps/951330.240713-104012/cesm.ESMF_Profile.summary.951330.240713-104012";
  if (std::filesystem::exists(plimsoll::testing::shared_path(real)))
    texts.push_back(plimsoll::testing::file_content(plimsoll::testing::shared_path(real)));
  std::mt19937 random(42);
  int rejected = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string text = plimsoll::testing::mutated(texts[k % texts.size()], random);
    const auto error = plimsoll::testing::error_of([&] {
      const EsmfProfile profile = parse_esmf_profile(text, "summary");
      for (const ComponentWork& work : component_work(profile, {})) {
        EXPECT_EQ(work.work_s + work.waiting_s, work.mean_s) << text;
        EXPECT_GE(work.waiting_s, 0);
      }
    });
    if (!error) continue;
    ++rejected;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(error->diagnostic().file, "summary");
  }
  EXPECT_GT(rejected, 50);
  EXPECT_LT(rejected, 200);
}

}  // namespace
}  // namespace plimsoll::pelayout
