#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/pelayout/timing_file.hpp>

#include "common/shared_data.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns a run of one component.
TimingFile run_on(std::int64_t tasks, double seconds, std::int64_t threads = 1, double days = 10,
                  const std::string& model = "CAM") {
  TimingFile file;
  file.path = "run_" + std::to_string(tasks) + "_" + model;
  file.run_days = days;
  ComponentTiming atm;
  atm.component = "ATM";
  atm.model = model;
  atm.tasks = tasks;
  atm.threads = threads;
  atm.seconds = seconds;
  atm.seconds_per_day = seconds / days;
  file.components = {atm};
  return file;
}

std::vector<std::string> lines_of(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> result;
  for (const Diagnostic& diagnostic : diagnostics) result.push_back(to_string(diagnostic));
  return result;
}

struct Gathered {
  Problem problem;
  std::vector<std::string> warnings;
};

Gathered gathered(const std::vector<TimingFile>& files, const GatherOptions& options = {}) {
  std::vector<Diagnostic> warnings;
  Problem problem = gather_timings(files, options, warnings);
  return {std::move(problem), lines_of(warnings)};
}

TEST(Gather, SortsSamplesAndConvertsToSecondsPerModelDay) {
  const auto [problem, warnings] = gathered({run_on(64, 100), run_on(32, 190), run_on(128, 60, 1, 20)});
  ASSERT_THAT(problem.components, SizeIs(1));
  EXPECT_EQ(problem.components[0].name, "ATM");
  EXPECT_EQ(problem.components[0].model, "CAM");
  EXPECT_EQ(problem.components[0].block_size, 1);
  EXPECT_EQ(problem.unit, CostUnit::seconds_per_day);
  EXPECT_EQ(problem.total_tasks, std::nullopt);
  EXPECT_EQ(problem.layout, std::nullopt);
  EXPECT_THAT(
      problem.components[0].samples,
      ElementsAre(Sample{32, 1, 19, 1, 19, 19}, Sample{64, 1, 10, 1, 10, 10}, Sample{128, 1, 3, 1, 3, 3}));
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(Gather, CombinesRepeatsAndKeepsSpread) {
  const std::vector<TimingFile> files{run_on(64, 100), run_on(64, 400), run_on(64, 130), run_on(64, 110)};
  const auto sample = [&](Combination combination) {
    return gathered(files, {.combination = combination}).problem.components[0].samples.at(0);
  };
  EXPECT_EQ(sample(Combination::median), (Sample{64, 1, 12, 4, 10, 40}));
  EXPECT_EQ(sample(Combination::mean), (Sample{64, 1, 18.5, 4, 10, 40}));
  EXPECT_EQ(sample(Combination::minimum), (Sample{64, 1, 10, 4, 10, 40}));
  EXPECT_EQ(gathered({run_on(1, 30), run_on(1, 10), run_on(1, 20)}).problem.components[0].samples[0].cost, 2);
  const Sample mean = gathered({run_on(1, 1), run_on(1, 1), run_on(1, 1)}, {.combination = Combination::mean})
                          .problem.components[0]
                          .samples[0];
  EXPECT_EQ(mean.minimum, mean.cost);
}

TEST(Gather, WarnsAboutWideSpreadOfRepeats) {
  EXPECT_THAT(gathered({run_on(64, 100), run_on(64, 110)}).warnings, IsEmpty());
  EXPECT_THAT(gathered({run_on(64, 100), run_on(64, 112)}).warnings,
              ElementsAre(HasSubstr(
                  "ATM on 64 tasks x 1 threads: 2 runs differ by 11.3 %, from 10 s (run_64_CAM) to 11.2 s "
                  "(run_64_CAM); 10.6 is used")));
  EXPECT_THAT(gathered({run_on(64, 0.005), run_on(64, 0.010)}).warnings, IsEmpty()) << "due to rounding";
  EXPECT_THAT(gathered({run_on(64, 0), run_on(64, 0), run_on(64, 9)}).warnings,
              ElementsAre(HasSubstr("took 0.000 s"), HasSubstr("differ by more than 100 %")));
}

TEST(Gather, WarnsAboutActiveComponentsWithoutTime) {
  EXPECT_THAT(gathered({run_on(64, 9), run_on(32, 0), run_on(16, 0)}).warnings,
              ElementsAre(HasSubstr("run_32_CAM: ATM (CAM) is active, but took 0.000 s in 2 of the runs")));
  for (const char* imitation : {"SATM", "DATM", "XATM"})
    EXPECT_THAT(gathered({run_on(64, 0, 1, 10, imitation)}).warnings, IsEmpty()) << imitation;
}

TEST(Gather, RequiresEqualRunLengthsForTotalSeconds) {
  const GatherOptions total{.unit = CostUnit::total_seconds};
  const Problem problem = gathered({run_on(64, 100), run_on(32, 190)}, total).problem;
  EXPECT_EQ(problem.unit, CostUnit::total_seconds);
  EXPECT_EQ(problem.components[0].samples[1].cost, 100);
  EXPECT_ERROR(gathered({run_on(64, 100), run_on(32, 190, 1, 5)}, total), bad_input,
               "cannot compare total seconds of runs of 5 and 10 model days (run_64_CAM)");
}

TEST(Gather, CombinesRunsWithUnknownModels) {
  EXPECT_EQ(gathered({run_on(64, 100), run_on(32, 190, 1, 10, "")}).problem.components[0].model, "CAM");
  EXPECT_EQ(gathered({run_on(64, 100, 1, 10, ""), run_on(32, 190)}).problem.components[0].model, "CAM");
  EXPECT_EQ(gathered({run_on(64, 100, 1, 10, "")}).problem.components[0].model, "");
}

TEST(Gather, RejectsTwoModelsWithSameName) {
  EXPECT_ERROR(gathered({run_on(64, 100), run_on(32, 190, 1, 10, "XATM")}), bad_input,
               "run_32_XATM: inconsistent models of ATM: XATM, but CAM in run_64_CAM");
}

TEST(Gather, SeparatesThreadCountsOrUsesOnlyRequestedOne) {
  const std::vector<TimingFile> files{run_on(64, 60, 2), run_on(64, 100), run_on(32, 110, 2)};
  EXPECT_THAT(
      gathered(files).problem.components[0].samples,
      ElementsAre(Sample{64, 1, 10, 1, 10, 10}, Sample{32, 2, 11, 1, 11, 11}, Sample{64, 2, 6, 1, 6, 6}));
  const Component atm = gathered(files).problem.components[0];
  EXPECT_EQ(atm.find(64, 2), &atm.samples[2]);
  EXPECT_EQ(atm.find(32, 1), nullptr);
  EXPECT_THAT(gathered(files, {.threads = 1}).problem.components[0].samples,
              ElementsAre(Sample{64, 1, 10, 1, 10, 10}));
  EXPECT_ERROR(gathered(files, {.threads = 4}), bad_input, "no component runs with 4 threads");
}

TEST(Gather, UsesInstancesAsBlockSizeWithNote) {
  TimingFile ensemble = run_on(64, 100);
  ensemble.components[0].instances = 4;
  const auto [problem, warnings] = gathered({ensemble, ensemble});
  EXPECT_EQ(problem.components[0].block_size, 4);
  EXPECT_EQ(problem.components[0].instances, 4);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("ATM ran with 4 instances (NINST): its task counts are "
                                              "multiples of 4")));
  TimingFile mixed = run_on(60, 100);
  mixed.components[0].instances = 6;
  const auto both = gathered({ensemble, mixed});
  EXPECT_EQ(both.problem.components[0].block_size, 12);
  EXPECT_EQ(both.problem.components[0].instances, 1) << "the PE file cannot say how many";
  EXPECT_THAT(both.warnings,
              ElementsAre(HasSubstr("ATM ran with 4 or 6 instances (NINST): its task counts are "
                                    "multiples of 12")));
  EXPECT_EQ(gathered({run_on(64, 100)}).problem.components[0].block_size, 1);
}

TEST(Gather, RejectsEmptyInput) {
  EXPECT_ERROR(gathered({}), bad_input, "no timing files");
}

/// Gathers the timing files of a directory, which contain CIME's nine components.
Problem problem_of(const std::string& folder) {
  const auto files = find_timing_files({.folders = {folder}}).files;
  auto [problem, warnings] = gathered(files, {.unit = CostUnit::total_seconds});
  EXPECT_THAT(warnings, IsEmpty());
  std::vector<std::string> names;
  for (const Component& component : problem.components) names.push_back(component.name);
  EXPECT_THAT(names, ElementsAre("CPL", "ATM", "LND", "ICE", "OCN", "ROF", "GLC", "WAV", "ESP"));
  return problem;
}

TEST(Gather, ReadsDirectoryOfTimingFiles) {
  const Problem problem = problem_of(testing::own_path("cime/timing"));
  EXPECT_THAT(problem.find("ATM")->samples,
              ElementsAre(Sample{14, 1, 136, 1, 136, 136}, Sample{28, 1, 72, 1, 72, 72},
                          Sample{56, 1, 40, 1, 40, 40}));
  EXPECT_THAT(problem.find("WAV")->samples, ElementsAre(Sample{1, 1, 0, 3, 0, 0})) << "stubs are kept";
}

// CIME's tool computed the expected values from its three files.
TEST(Gather, ReadsTimingFilesOfCime) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const Problem problem = problem_of(testing::shared_path("data/cime/timing"));
  EXPECT_THAT(problem.find("ATM")->samples,
              ElementsAre(Sample{2, 1, 20.444, 1, 20.444, 20.444}, Sample{4, 1, 10.763, 1, 10.763, 10.763},
                          Sample{8, 1, 6.064, 1, 6.064, 6.064}));
  EXPECT_THAT(problem.find("WAV")->samples, SizeIs(3)) << "stubs are kept";
  EXPECT_THAT(problem.find("ESP")->samples, ElementsAre(Sample{8, 1, 0, 3, 0, 0}));
}

TEST(Gather, CombinesRealRunsWithSameTaskCount) {
  PLIMSOLL_NEED_SHARED("data/cime");
  const auto files = find_timing_files({.folders = {testing::shared_path("data/cime/real-timing")}}).files;
  const auto [problem, warnings] = gathered(files);
  // In runs of two days, LND on one task took 3.493 s alone and 6.193 s concurrently with others.
  const Sample& land = problem.find("LND")->samples.at(0);
  EXPECT_EQ(land.tasks, 1);
  EXPECT_EQ(land.repeats, 2U);
  EXPECT_DOUBLE_EQ(land.cost, (3.493 + 6.193) / 4);
  EXPECT_DOUBLE_EQ(land.minimum, 3.493 / 2);
  EXPECT_DOUBLE_EQ(land.maximum, 6.193 / 2);
  EXPECT_THAT(warnings, ElementsAre(AllOf(HasSubstr("LND on 1 tasks"), HasSubstr("/conc_cesm_timing")),
                                    HasSubstr("ICE on 1 tasks")));
}

}  // namespace
}  // namespace plimsoll::pelayout
