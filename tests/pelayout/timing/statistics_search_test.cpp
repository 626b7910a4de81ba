// Tests the search for GPTL statistics and archives, and that profiles of the same run are preferred.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/throws_error.hpp"
#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/search_folder.hpp"
#include "pelayout/timing/statistics_text.hpp"
#include "pelayout/timing/tar_bytes.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::gzip_bytes;
using plimsoll::testing::statistics_of_example;
using plimsoll::testing::tar_bytes;
using plimsoll::testing::TimingText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string example_statistics = statistics_of_example().str();
const std::string example_profile = TimingText().str();

/// Returns statistics of another run of the example.
std::string slower_statistics() {
  auto text = statistics_of_example();
  for (auto& row : text.rows)
    if (row.name == "CPL:ATM_RUN") row.longest = 210;
  return text.str();
}

class StatisticsSearch : public plimsoll::testing::SearchFolder {
 protected:
  /// Returns the paths of the runs found. `search` contains paths relative to the directory.
  std::vector<std::string> found(TimingSearch search) {
    search.facts.steps_per_day = 48;
    for (std::string& file : search.files) file = folder / file;
    for (std::string& below : search.folders) below = folder / below;
    return SearchFolder::found(search);
  }
};

TEST_F(StatisticsSearch, FindsStatisticsInAllFormats) {
  add("plain/model_timing_stats", example_statistics);
  add("gzip/e3sm_timing_stats.123.260102-120000.gz", gzip_bytes(slower_statistics()));
  add("archive/timing.260103-120000.tar.gz",
      gzip_bytes(tar_bytes({{"timing.260103-120000/model_timing.0000", "Stats for thread 0:"},
                            {"timing.260103-120000/model_timing_stats", slower_statistics()}})));
  EXPECT_THAT(found({.folders = {"plain", "gzip", "archive"}}),
              ElementsAre("archive/timing.260103-120000.tar.gz:timing.260103-120000/model_timing_stats",
                          "gzip/e3sm_timing_stats.123.260102-120000.gz", "plain/model_timing_stats"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(files.files[0].log_id, "260103-120000");
  EXPECT_EQ(files.files[0].find("ATM")->seconds, 210);
}

TEST_F(StatisticsSearch, PrefersProfilesInTheSameDirectory) {
  add("cesm_timing_stats.260101-120000", example_statistics);
  add("cesm_timing.case_a.260101-120000.gz", gzip_bytes(example_profile));
  EXPECT_THAT(found({.folders = {"."}}), ElementsAre("./cesm_timing.case_a.260101-120000.gz"));
  EXPECT_THAT(warnings(), IsEmpty());

  EXPECT_THAT(found({.files = {"cesm_timing_stats.260101-120000"}}),
              ElementsAre("cesm_timing.case_a.260101-120000.gz"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("cesm_timing.case_a.260101-120000.gz of this run is used")));
  EXPECT_EQ(files.warnings[0].severity, Severity::note);
}

// The archives of E3SM contain the statistics, and lie next to the profile.
TEST_F(StatisticsSearch, PrefersProfilesNextToArchives) {
  add("timing.260101-120000.tar.gz",
      gzip_bytes(tar_bytes({{"timing.260101-120000/model_timing_stats", example_statistics}})));
  add("e3sm_timing.case_a.260101-120000.gz", gzip_bytes(example_profile));
  const auto expected = ElementsAre("e3sm_timing.case_a.260101-120000.gz");
  EXPECT_THAT(found({.files = {"timing.260101-120000.tar.gz"}}), expected);
}

TEST_F(StatisticsSearch, PrefersProfilesInTheSameArchive) {
  add("runs.tar.gz",
      gzip_bytes(tar_bytes({{"case/timing/cesm_timing_stats.260101-120000", example_statistics},
                            {"case/timing/cesm_timing.case_a.260101-120000", example_profile},
                            {"case/run/timing/model_timing_stats", example_statistics}})));
  EXPECT_THAT(found({.files = {"runs.tar.gz"}}),
              ElementsAre("runs.tar.gz:case/timing/cesm_timing.case_a.260101-120000"));
}

TEST_F(StatisticsSearch, UsesStatisticsOfOtherRuns) {
  add("cesm_timing_stats.260101-130000", slower_statistics());
  add("cesm_timing.case_a.260101-120000", example_profile);
  EXPECT_THAT(found({.files = {"cesm_timing_stats.260101-130000"}}),
              ElementsAre("cesm_timing_stats.260101-130000"));
  EXPECT_THAT(found({.folders = {"."}}),
              ElementsAre("./cesm_timing.case_a.260101-120000", "./cesm_timing_stats.260101-130000"));
}

TEST_F(StatisticsSearch, CountsStatisticsFoundTwiceOnce) {
  add("cesm_timing_stats.260101-120000", example_statistics);
  add("run/model_timing_stats", example_statistics);
  EXPECT_THAT(found({.folders = {".", "run"}}), ElementsAre("./cesm_timing_stats.260101-120000"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("run/model_timing_stats: same run as")));
}

TEST_F(StatisticsSearch, UsesStatisticsIfTheProfileIsBroken) {
  add("cesm_timing_stats.260101-120000", example_statistics);
  add("cesm_timing.case_a.260101-120000",
      example_profile.substr(0, example_profile.find("    TOT Run Time")));
  EXPECT_THAT(found({.folders = {"."}}), ElementsAre("./cesm_timing_stats.260101-120000"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("missing run times; file skipped")));
}

TEST_F(StatisticsSearch, DoesNotReportBrokenStatisticsNextToTheProfile) {
  add("cesm_timing_stats.260101-120000", example_statistics.substr(0, 700));
  EXPECT_ERROR(found({.folders = {"."}}), bad_input, "the file ends in this line");
  add("cesm_timing.case_a.260101-120000", example_profile);
  EXPECT_THAT(found({.folders = {"."}}), ElementsAre("./cesm_timing.case_a.260101-120000"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(StatisticsSearch, FindsStatisticsOfCases) {
  add("lbt_1/timing/cesm_timing_stats.260101-120000", example_statistics);
  add("lbt_2/timing/timing.260101-130000.tar.gz",
      gzip_bytes(tar_bytes({{"timing/model_timing_stats", slower_statistics()}})));
  EXPECT_THAT(found({.casename_prefixes = {"lbt"}}),
              ElementsAre("lbt_1/timing/cesm_timing_stats.260101-120000",
                          "lbt_2/timing/timing.260101-130000.tar.gz:timing/model_timing_stats"));
}

TEST_F(StatisticsSearch, IgnoresArchivesOfOtherFiles) {
  add("restart.tar", tar_bytes({{"restart.nc", "CDF"}, {"timing/model_timing_stats", slower_statistics()}}));
  add("cesm_timing.case_a.260101-120000", example_profile);
  EXPECT_THAT(found({.folders = {"."}}), ElementsAre("./cesm_timing.case_a.260101-120000"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(StatisticsSearch, RejectsUnusableFiles) {
  const auto refuse = [&](const std::string& name, const std::string& content, const std::string& why) {
    add(name, content);
    EXPECT_ERROR(found({.files = {name}}), bad_input, why);
  };
  refuse("timing.tar.gz", gzip_bytes(tar_bytes({{"timing/model_timing.0000", "Stats for thread 0:"}})),
         "timing.tar.gz: no timing profile, GPTL statistics or ESMF profile in the archive");
  refuse("other_stats", "***** GLOBAL STATISTICS ( 4 MPI TASKS) *****\n\"main\" - 4 4 4 8 2 (0 0) 2 (3 0)\n",
         "not a run of CIME's driver");
  const std::string whole = gzip_bytes(tar_bytes({{"timing/model_timing_stats", example_statistics}}));
  refuse("cut.tar.gz", whole.substr(0, whole.size() / 2), "truncated gzip file");
  refuse("cut.gz", gzip_bytes(example_statistics).substr(0, 300), "truncated gzip file");
}

TEST_F(StatisticsSearch, WarnsOnceOfUnknownDays) {
  add("a/model_timing_stats", example_statistics);
  add("b/model_timing_stats", slower_statistics());
  files = find_timing_files({.folders = {folder / "a", folder / "b"}});
  EXPECT_EQ(files.files.size(), 2U);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("unknown number of model days")));
}

TEST_F(StatisticsSearch, ReadsOneRunOfAFile) {
  add("model_timing_stats", example_statistics);
  add("both.tar",
      tar_bytes({{"model_timing_stats", example_statistics}, {"cesm_timing.case_a.1", example_profile}}));
  add("two.tar", tar_bytes({{"a", example_statistics}, {"b", slower_statistics()}}));
  add("notes", "no timings");
  EXPECT_EQ(read_timing_file(folder / "model_timing_stats", {.steps_per_day = 96}).run_days, 5);
  EXPECT_EQ(read_timing_file(folder / "both.tar").case_name, "case_a");
  EXPECT_ERROR(read_timing_file(folder / "two.tar"), bad_input, "several runs in the archive");
  EXPECT_ERROR(read_timing_file(folder / "notes"), bad_input, "not a timing profile");
}

}  // namespace
}  // namespace plimsoll::pelayout
