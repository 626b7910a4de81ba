#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/gzip_bytes.hpp"
#include "pelayout/timing/search_folder.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::gzip_bytes;
using plimsoll::testing::TemporaryFolder;
using plimsoll::testing::TimingText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns the timing profile of a separate run, with a different case and log ID.
std::string profile(const std::string& case_name, const std::string& log_id = "260101-120000") {
  TimingText text;
  text.case_name = case_name;
  text.log_id = log_id;
  return text.str();
}

class CaseSearch : public plimsoll::testing::SearchFolder {
 protected:
  /// Returns the paths, relative to the root, of the files that match a prefix.
  std::vector<std::string> found(const std::string& prefix) {
    return SearchFolder::found({.casename_prefixes = {prefix}});
  }
};

TEST_F(CaseSearch, FindsOldFileNamesOfCasesWithPrefix) {
  add("lbt_1/timing/timing.lbt_1.260101", profile("lbt_1"));
  add("lbt_2/timing/timing.lbt_2.260101", profile("lbt_2"));
  add("lbt_2/timing/timing.other.260101", profile("other"));
  add("lbt2/timing/timing.lbt_3", profile("lbt_3"));
  add("other_1/timing/timing.lbt_4", profile("lbt_4"));
  EXPECT_THAT(found("lbt"),
              ElementsAre("lbt_1/timing/timing.lbt_1.260101", "lbt_2/timing/timing.lbt_2.260101"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(CaseSearch, FindsCasesThatShareOneDirectory) {
  add("lbt/timing/timing.lbt", profile("lbt"));
  add("lbt/timing/timing.lbt2", profile("lbt2"));
  add("lbt/timing/cesm_timing.lbt3.260101-120000", profile("lbt3"));
  EXPECT_THAT(found("lbt"), ElementsAre("lbt/timing/cesm_timing.lbt3.260101-120000", "lbt/timing/timing.lbt",
                                        "lbt/timing/timing.lbt2"));
}

TEST_F(CaseSearch, AcceptsDefaultPrefixOfCimeTool) {
  add("lbt_timing_run_1/timing/cesm_timing.lbt_timing_run_1.260101-120000", profile("1"));
  add("lbt_timing_run_16/timing/e3sm_timing.lbt_timing_run_16.260101-120000", profile("16"));
  const auto expected = ElementsAre("lbt_timing_run_1/timing/cesm_timing.lbt_timing_run_1.260101-120000",
                                    "lbt_timing_run_16/timing/e3sm_timing.lbt_timing_run_16.260101-120000");
  EXPECT_THAT(found("lbt_timing_run_"), expected);
  EXPECT_THAT(found("lbt_timing_run"), expected);
}

TEST_F(CaseSearch, FindsCurrentFileNamesWithDriverNumberAndGzip) {
  TimingText second;
  second.case_name = "lbt_1";
  second.rows[0].model = "cpl_0002";
  TimingText first = second;
  first.rows[0].model = "cpl_0001";
  add("lbt_1/timing/cesm_timing_0001.lbt_1.260101-120000.gz", gzip_bytes(first.str()));
  add("lbt_1/timing/cesm_timing_0002.lbt_1.260101-120000", second.str());
  add("lbt_1/timing/cesm_timing_stats.260101-120000", "***** GLOBAL STATISTICS ( 2 MPI TASKS) *****\n");
  add("lbt_1/timing/old/cesm_timing.lbt_1.260101-110000", profile("lbt_1", "260101-110000"));
  EXPECT_THAT(found("lbt"), ElementsAre("lbt_1/timing/cesm_timing_0001.lbt_1.260101-120000.gz",
                                        "lbt_1/timing/cesm_timing_0002.lbt_1.260101-120000"));
  EXPECT_THAT(warnings(), IsEmpty()) << "two drivers are two measurements";
}

TEST_F(CaseSearch, AcceptsPrefixWithDirectory) {
  add("runs/lbt_1/timing/timing.lbt_1", profile("lbt_1"));
  EXPECT_THAT(found("runs/lbt"), ElementsAre("runs/lbt_1/timing/timing.lbt_1"));
  EXPECT_THAT(found(folder / "runs/lbt_"), ElementsAre("runs/lbt_1/timing/timing.lbt_1"));
  EXPECT_ERROR(found(""), usage, "empty");
  EXPECT_ERROR(found("runs/"), usage, "empty");
  EXPECT_ERROR(found("absent/lbt"), system, "cannot read the directory");
}

TEST_F(CaseSearch, ReportsCasesWithoutResults) {
  add("lbt_1/timing/timing.lbt_1", profile("lbt_1"));
  std::filesystem::create_directories(folder / "lbt_2");
  std::filesystem::create_directories(folder / "lbt_3/timing");
  add("lbt_4", "a file");
  EXPECT_THAT(found("lbt"), SizeIs(1));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("lbt_2: missing directory \"timing\""),
                                      HasSubstr("lbt_3/timing: no timing profile in the directory")));
}

TEST_F(CaseSearch, ReportsAndSkipsAbortedAndBrokenFiles) {
  const std::string whole = profile("lbt_1");
  add("lbt_1/timing/timing.lbt_1.a", whole);
  add("lbt_1/timing/timing.lbt_1.b", whole.substr(0, whole.find("    TOT Run Time")));
  add("lbt_1/timing/timing.lbt_1.c.gz", gzip_bytes(whole).substr(0, 300));
  add("lbt_1/timing/timing.lbt_1.d", "");
  EXPECT_THAT(found("lbt"), ElementsAre("lbt_1/timing/timing.lbt_1.a"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("timing.lbt_1.b:29: missing run times; file skipped"),
                                      HasSubstr("timing.lbt_1.c.gz: truncated gzip file"),
                                      HasSubstr("timing.lbt_1.d: not a timing profile; skipped")));
  for (const Diagnostic& warning : files.warnings) EXPECT_EQ(warning.severity, Severity::warning);
}

TEST_F(CaseSearch, CountsPlainAndGzipFileOfOneRunOnce) {
  add("lbt_1/timing/timing.lbt_1", profile("lbt_1"));
  add("lbt_1/timing/timing.lbt_1.gz", gzip_bytes(profile("lbt_1")));
  EXPECT_THAT(found("lbt"), ElementsAre("lbt_1/timing/timing.lbt_1"));
  ASSERT_THAT(warnings(), ElementsAre(HasSubstr("timing.lbt_1.gz: same run as")));
  EXPECT_EQ(files.warnings[0].severity, Severity::note);
}

TEST_F(CaseSearch, UsesBothFilesOfCaseIfNumbersDiffer) {
  TimingText other;
  other.case_name = "lbt_1";
  other.rows[1].seconds = 201;
  add("lbt_1/timing/timing.lbt_1.a", profile("lbt_1"));
  add("lbt_1/timing/timing.lbt_1.b", other.str());
  EXPECT_THAT(found("lbt"), SizeIs(2));
  ASSERT_THAT(warnings(), ElementsAre(HasSubstr("different numbers; both are used")));
  EXPECT_EQ(files.warnings[0].severity, Severity::warning);
}

// In newer versions of CIME's tool, each case is a test, and its name ends in the test ID.
TEST_F(CaseSearch, FindsCasesByTestId) {
  add("PFS_I0.f19.X.box_gnu.lbt/timing/cesm_timing.PFS_I0.f19.X.box_gnu.lbt.1", profile("PFS_I0.lbt"));
  add("PFS_I1.f19.X.box_gnu.lbt/timing/cesm_timing.PFS_I1.f19.X.box_gnu.lbt.1.gz",
      gzip_bytes(profile("PFS_I1.lbt")));
  add("PFS_I1.f19.X.box_gnu.lbt/timing/cesm_timing_stats.1", "global statistics");
  add("PFS_I2.f19.X.box_gnu.lbt2/timing/cesm_timing.PFS_I2.1", profile("PFS_I2.lbt2"));
  add("PFS_I3.f19.X.box_gnu.lbt/CaseStatus", "create_newcase");
  add("lbt_64/timing/cesm_timing.lbt_64.1", profile("lbt_64"));
  TimingSearch search;
  search.root = folder.path();
  search.test_ids = {"lbt"};
  files = find_timing_files(search);
  std::vector<std::string> names;
  for (const TimingFile& file : files.files) names.push_back(file.case_name);
  EXPECT_THAT(names, ElementsAre("PFS_I0.lbt", "PFS_I1.lbt", "lbt_64"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("PFS_I3.f19.X.box_gnu.lbt: missing directory \"timing\"")));
  search.test_ids = {"nothing"};
  EXPECT_ERROR(find_timing_files(search), bad_input, "no case directory with the name *nothing");
  search.test_ids = {""};
  EXPECT_ERROR(find_timing_files(search), usage, "empty");
}

TEST_F(CaseSearch, RejectsSearchWithoutResults) {
  EXPECT_ERROR(found("lbt"), bad_input, "no case directory with the name lbt or lbt_*");
  EXPECT_ERROR(find_timing_files({}), bad_input, "missing timing files");
}

TEST_F(CaseSearch, SelectsFilesByContentWithoutRecursion) {
  add("b", profile("b"));
  add("a.gz", gzip_bytes(profile("a")));
  add("notes.txt", "remember to run b again");
  add("binary", std::string(10000, '\0'));
  add("below/c", profile("c"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  TimingSearch search;
  search.folders = {folder.path()};
  files = find_timing_files(search);
  ASSERT_THAT(files.files, SizeIs(2));
  EXPECT_EQ(files.files[0].path, folder / "a.gz");
  EXPECT_EQ(files.files[1].path, folder / "b");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_ERROR(find_timing_files({.folders = {folder / "absent"}}), system, "cannot read the directory");
  std::filesystem::create_directories(folder / "empty");
  EXPECT_ERROR(find_timing_files({.folders = {folder / "empty"}}), bad_input,
               "no timing profile in the directory");
}

TEST_F(CaseSearch, CountsDuplicateFilesOnce) {
  add("lbt_1/timing/timing.lbt_1", profile("lbt_1"));
  TimingSearch search;
  search.files = {folder / "lbt_1/timing/timing.lbt_1", folder / "lbt_1/../lbt_1/timing/timing.lbt_1"};
  search.folders = {folder / "lbt_1/timing"};
  search.casename_prefixes = {"lbt", "lbt_"};
  search.root = folder.path();
  files = find_timing_files(search);
  EXPECT_THAT(files.files, SizeIs(1));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(CaseSearch, WarnsAndSkipsExplicitlySpecifiedBrokenFile) {
  add("good", profile("good"));
  add("bad", "no profile");
  const TimingFiles found = find_timing_files({.files = {folder / "good", folder / "bad"}});
  EXPECT_THAT(found.files, SizeIs(1));
  ASSERT_THAT(found.warnings, SizeIs(1));
  EXPECT_EQ(found.warnings[0].file, folder / "bad");
  EXPECT_ERROR(find_timing_files({.files = {folder / "bad"}}), bad_input, "not a timing profile");
  EXPECT_ERROR(find_timing_files({.files = {folder / "absent"}}), system, "cannot open");
}

TEST_F(CaseSearch, ForwardsWarningsOfFiles) {
  TimingText text;
  text.case_name = "lbt_1";
  add("lbt_1/timing/timing.lbt_1", testing::replaced(text.str(), "stop_n = 10", "stop_n = 2"));
  EXPECT_THAT(found("lbt"), SizeIs(1));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("set to stop after")));
}

TEST(TimingSearch, FindsAllFilesOfDirectory) {
  for (const std::string& folder : testing::own_and_real({"cime/timing"}, {"data/cime/timing"})) {
    const TimingFiles found = find_timing_files({.folders = {folder}});
    EXPECT_THAT(found.files, SizeIs(3)) << folder;
    EXPECT_THAT(found.warnings, IsEmpty()) << folder;
  }
}

TEST(TimingSearch, AcceptsDirectoriesAmongNamedFiles) {
  const TemporaryFolder folder;
  folder.write("cesm_timing.b.1", profile("b"));
  const TimingFiles files = find_timing_files({.files = {folder.path()}});
  EXPECT_THAT(files.files, SizeIs(1));
  EXPECT_THAT(files.warnings, IsEmpty());
}

TEST(TimingSearch, FindsAllFilesOfRealDirectories) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const TimingFiles real =
      find_timing_files({.folders = {testing::shared_path("data/cime/real-timing"),
                                     testing::shared_path("data/cime/real-timing/submit")}});
  EXPECT_THAT(real.files, SizeIs(6));
  EXPECT_THAT(real.warnings, IsEmpty());
}

}  // namespace
}  // namespace plimsoll::pelayout
