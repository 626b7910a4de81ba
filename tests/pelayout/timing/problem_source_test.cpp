#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>

#include "common/temporary_folder.hpp"
#include "common/throws_error.hpp"
#include "pelayout/timing/run_groups.hpp"
#include "pelayout/timing/timing_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TimingFile run(const std::string& path, const std::string& machine, const std::string& grid = "ne30",
               std::int64_t instances = 1) {
  TimingFile file;
  file.path = path;
  file.machine = machine;
  file.grid = grid;
  file.components = {{.component = "ATM", .model = "CAM", .tasks = 8, .instances = instances}};
  return file;
}

TEST(RunGroups, ContainOneGroupIfRunsBelongTogether) {
  const std::vector<RunGroup> groups = group_runs(std::vector{run("a", "box"), run("b", "box")});
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_EQ(groups[0].setup, "");
  EXPECT_THAT(groups[0].paths, ElementsAre("a", "b"));
}

TEST(RunGroups, NameOnlyWhatDiffers) {
  const std::vector<RunGroup> groups =
      group_runs(std::vector{run("a", "box"), run("b", "hall"), run("c", "box")});
  EXPECT_EQ(to_string(groups), R"(2 files with machine box ("a", ...); 1 file with machine hall ("b"))");
}

TEST(RunGroups, SeparateEnsemblesAndGrids) {
  EXPECT_EQ(to_string(group_runs(std::vector{run("a", "box"), run("b", "box", "ne30", 3)})),
            R"(1 file with instances 1 of each component ("a"); 1 file with instances 3 x ATM ("b"))");
  EXPECT_EQ(to_string(group_runs(std::vector{run("a", "box"), run("b", "hall", "ne120")})),
            R"(1 file with machine box, grid ne30 ("a"); 1 file with machine hall, grid ne120 ("b"))");
}

TEST(RunGroups, IgnoreValuesThatAreMissingInFiles) {
  EXPECT_THAT(group_runs(std::vector{run("a", "box"), run("b", "")}), SizeIs(1));
}

/// Returns a run of a case in which ATM takes this time per day on 8 tasks.
TimingFile run_of_case(const std::string& case_name, double seconds_per_day) {
  TimingFile file = run(case_name, "box");
  file.case_name = case_name;
  file.components[0].seconds = 10 * seconds_per_day;
  file.components[0].seconds_per_day = seconds_per_day;
  return file;
}

TEST(RunGroups, SeparateDrivers) {
  TimingFile mct = run("a", "box");
  mct.driver = "CPL7";
  TimingFile cmeps = run("b", "box");
  cmeps.driver = "CMEPS";
  EXPECT_EQ(to_string(group_runs(std::vector{mct, cmeps})),
            R"(1 file with driver CPL7 ("a"); 1 file with driver CMEPS ("b"))");
}

// Each coupler's files measure other times, so their costs do not lie on one curve.
TEST(RunGroups, SeparateCouplers) {
  TimingFile oasis = run("a", "");
  oasis.coupler = Coupler::oasis;
  TimingFile fms = run("b", "");
  fms.coupler = Coupler::fms;
  EXPECT_EQ(to_string(group_runs(std::vector{oasis, fms, run("c", "")})),
            R"(1 file with coupler OASIS ("a"); 1 file with coupler FMS ("b"); )"
            R"(1 file with coupler CIME or NUOPC ("c"))");
}

TEST(RunGroups, SeparateModelVersionsOfDifferentCosts) {
  const std::vector runs = {run_of_case("b.e30_beta02.BLT1850.001", 13.5),
                            run_of_case("b.e30_beta04.BLT1850.001", 30.5),
                            run_of_case("b.e30_beta02.BLT1850.002", 14)};
  EXPECT_EQ(to_string(group_runs(runs)),
            "2 files with model version e30_beta02 (\"b.e30_beta02.BLT1850.001\", ...); 1 file with model "
            "version e30_beta04 (\"b.e30_beta04.BLT1850.001\")");
  EXPECT_THAT(group_runs(std::vector{run_of_case("b.e30_beta02.BLT1850.001", 13.5),
                                     run_of_case("b.e30_beta04.BLT1850.001", 14)}),
              SizeIs(1))
      << "equal costs belong together";
}

TEST(RunGroups, SeparateCasesOfDifferentCosts) {
  EXPECT_EQ(
      to_string(group_runs(std::vector{run_of_case("twin_hybrid.1", 28), run_of_case("twin_iso.1", 14)})),
      R"(1 file with case twin_hybrid ("twin_hybrid.1"); 1 file with case twin_iso ("twin_iso.1"))");
  EXPECT_THAT(group_runs(std::vector{run_of_case("lbt_1", 28), run_of_case("lbt_2", 14)}), SizeIs(1))
      << "a disturbed run of the same case is a matter of spread";
  EXPECT_THAT(group_runs(std::vector{run_of_case("a_1", 28), run_of_case("b_1", 14), run_of_case("a_2", 14)}),
              SizeIs(1))
      << "the name of the case does not explain the costs";
}

// More tasks made the longest component slower: the runs have 32 and 58 levels, which only the names tell.
TEST(RunGroups, SeparateCasesThatAreSlowerOnMoreTasks) {
  TimingFile more_levels = run_of_case("f.FLTHIST.ne120_L58.001", 327);
  const TimingFile fewer_levels = run_of_case("f.FLTHIST.ne120_L32.001", 196);
  more_levels.components[0].tasks = 16;
  EXPECT_EQ(to_string(group_runs(std::vector{fewer_levels, more_levels})),
            R"(1 file with case f.FLTHIST.ne120_L32 ("f.FLTHIST.ne120_L32.001"); )"
            R"(1 file with case f.FLTHIST.ne120_L58 ("f.FLTHIST.ne120_L58.001"))");
}

}  // namespace

namespace {

using plimsoll::testing::TemporaryFolder;
using plimsoll::testing::TimingText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kept =
    R"({"totaltasks": 8, "ATM": {"ntasks": [1, 2], "cost": [2, 1]}, "OCN": {"ntasks": [1, 2], "cost": [2, 1]}})";

class LoadProblem : public ::testing::Test {
 protected:
  Problem load(const ProblemSource& source) {
    warnings_.clear();
    return load_problem(source, warnings_);
  }

  TemporaryFolder folder_;
  std::vector<Diagnostic> warnings_;
};

TEST_F(LoadProblem, GathersTimingFiles) {
  const std::string path = folder_.write("timing_1", TimingText{}.str());
  std::vector<std::string> read;
  ProblemSource source{.search = {.files = {path}}};
  source.on_timing_file = [&](const TimingFile& file) { read.push_back(file.path); };
  EXPECT_DOUBLE_EQ(load(source).find("ATM")->samples.at(0).cost, 20.025);
  EXPECT_THAT(read, ElementsAre(path));
  source.unit = CostUnit::total_seconds;
  EXPECT_DOUBLE_EQ(load(source).find("ATM")->samples.at(0).cost, 200.25);
}

TEST_F(LoadProblem, CombinesRunsOfDifferentMachinesOnlyOnRequest) {
  const std::string one = folder_.write("timing_1", TimingText{}.str());
  TimingText elsewhere{.log_id = "260101-130000"};
  const std::string other = folder_.write("timing_2", testing::replaced(elsewhere.str(), ": box", ": hall"));
  ProblemSource source{.search = {.files = {one, other}}};
  EXPECT_ERROR(load(source), bad_input, "the timing files do not belong together: 1 file with machine box");
  source.mix = true;
  EXPECT_EQ(load(source).find("ATM")->samples.at(0).repeats, 2U);
  ASSERT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(warnings_[0].what, HasSubstr("1 file with machine hall"));
}

TEST_F(LoadProblem, FindsSubmittedCasesByDefault) {
  std::filesystem::create_directories(folder_ / "lbt_timing_run_1/timing");
  TimingText text;
  text.case_name = "lbt_timing_run_1";
  folder_.write("lbt_timing_run_1/timing/cesm_timing.lbt_timing_run_1.260101-120000", text.str());
  EXPECT_THAT(load({.search = {.root = folder_.path()}}).component_names(), ElementsAre("CPL", "ATM", "OCN"));
}

TEST_F(LoadProblem, ReadsJson) {
  const Problem problem = load({.json = folder_.write("kept.json", kept)});
  EXPECT_EQ(problem.path, folder_ / "kept.json");
  EXPECT_EQ(problem.total_tasks, 8);
  EXPECT_THAT(problem.component_names(), ElementsAre("ATM", "OCN"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(LoadProblem, RejectsCostsPerDayFromTotalSeconds) {
  const std::string total = R"({"unit": "total_seconds", "ATM": {"ntasks": [1, 2], "cost": [2, 1]}})";
  ProblemSource source{.json = folder_.write("total.json", total)};
  EXPECT_EQ(load(source).unit, CostUnit::total_seconds);
  source.unit = CostUnit::seconds_per_day;
  EXPECT_ERROR(load(source), usage, "total.json: cannot convert costs in s to costs per day");
}

TEST_F(LoadProblem, SetsBlockSizes) {
  ProblemSource source{.json = folder_.write("kept.json", kept)};
  source.block_sizes = {.all = 8, .by_component = {{"OCN", 2}, {"GLC", 4}}};
  const Problem problem = load(source);
  EXPECT_EQ(problem.find("ATM")->block_size, 8);
  EXPECT_EQ(problem.find("OCN")->block_size, 2);
  ASSERT_THAT(warnings_, SizeIs(1)) << "CIME's tool accepts block sizes of components that the data lack";
  EXPECT_THAT(to_string(warnings_[0]),
              HasSubstr("the block size of GLC has no effect: the data do not contain GLC"));
}

TEST_F(LoadProblem, KeepsBlockSizesDivisibleByInstances) {
  TimingText text;
  for (auto& row : text.rows) row.instances = 4;
  ProblemSource source{.search = {.files = {folder_.write("ensemble", text.str())}}};
  EXPECT_EQ(load(source).find("ATM")->block_size, 4);
  source.block_sizes = {.all = 6, .by_component = {{"OCN", 8}}};
  const Problem problem = load(source);
  EXPECT_EQ(problem.find("ATM")->block_size, 12);
  EXPECT_EQ(problem.find("OCN")->block_size, 8);
}

TEST_F(LoadProblem, RejectsInvalidBlockSizes) {
  const std::string path = folder_.write("kept.json", kept);
  EXPECT_ERROR(load({.json = path, .block_sizes = {.all = 0}}), usage,
               "invalid block size 0 of all components");
  EXPECT_ERROR(load({.json = path, .block_sizes = {.by_component = {{"ATM", -4}}}}), usage,
               "invalid block size -4 of ATM");
  EXPECT_ERROR(load({.json = path, .block_sizes = {.by_component = {{"IAC", 4}}}}), usage,
               "block size of unknown component \"IAC\"; available: ATM, OCN");
}

}  // namespace
}  // namespace plimsoll::pelayout
