// Tests the sentences of an answer against the runs that they name.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <plimsoll/pelayout/answer.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns a run of ATM beside OCN, which takes longer than its components.
TimingFile run_on(const std::string& path, std::int64_t tasks, double atm_s, double ocean_s, double total_s) {
  TimingFile run;
  run.path = path;
  run.run_days = 1;
  run.components = {
      {.component = "ATM", .tasks = tasks, .seconds = atm_s, .seconds_per_day = atm_s},
      {.component = "OCN", .tasks = tasks, .root = tasks, .seconds = ocean_s, .seconds_per_day = ocean_s}};
  run.total_seconds = run.total_seconds_per_day = total_s;
  return run;
}

StudyRequest answer_request(const std::vector<TimingFile>& runs, std::int64_t total,
                            const std::string& layout) {
  std::vector<Diagnostic> warnings;
  StudyRequest request;
  request.runs = runs;
  request.problem = gather_timings(runs, {}, warnings);
  request.totals = {total};
  request.layout = layout;
  return request;
}

Study study_of(const std::vector<TimingFile>& runs, std::int64_t total, const std::string& layout) {
  return study(answer_request(runs, total, layout));
}

std::string all(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST(LayoutAnswer, CallsOnlyRunYourRun) {
  const Answer found = answer(study_of({run_on("only", 16, 10, 9, 14)}, 48, "ATM | OCN"));
  EXPECT_THAT(found.headline(), StartsWith("Best layout on 48 tasks: " + found.time + " s/model day"));
  EXPECT_THAT(all(found.remarks),
              AllOf(HasSubstr("Your run on 32 tasks took 14.0 s/day; this layout would take about "),
                    HasSubstr(" because your run took longer than the models predict"),
                    HasSubstr("The models reproduce the time of your run with an error of -"),
                    Not(HasSubstr("because your run only"))));
}

// The fastest run has 128 tasks; that on 256 is nearest to the total, and calibrates.
TEST(LayoutAnswer, NamesRunThatCalibratesAmongSeveral) {
  const std::vector<TimingFile> runs = {run_on("small", 64, 10, 9.5, 11), run_on("large", 128, 8, 7.6, 12)};
  const Study found = study_of(runs, 250, "ATM | OCN");
  ASSERT_TRUE(found.expected && found.expected->run && found.own);
  ASSERT_EQ(found.own->path, "small");
  ASSERT_EQ(found.expected->run->path, "large");
  EXPECT_THAT(all(answer(found).remarks),
              AllOf(HasSubstr("Your run on 128 tasks took 11.0 s/day"),
                    HasSubstr("because your run large on 256 tasks took longer than the models predict"),
                    HasSubstr("The models reproduce the times of your 2 runs with a median error of ")));
}

// One measurement does not show how a component scales: the range says nothing about a comparison.
TEST(LayoutAnswer, ComparesNoTimeWithUselessRange) {
  Study found = study_of({run_on("only", 16, 10, 9, 14)}, 48, "ATM | OCN");
  found.expected->range = {1, 40};
  const Answer useless = answer(found);
  EXPECT_EQ(useless.range, "");
  EXPECT_THAT(all(useless.remarks), AllOf(HasSubstr("The time is uncertain by more than a factor of 2"),
                                          HasSubstr("%), but this time is too uncertain to compare."),
                                          Not(HasSubstr("within the uncertainty"))));
  found.expected->range = {10, 40};
  EXPECT_THAT(all(answer(found).remarks), HasSubstr("but the difference is within the uncertainty."));
}

// 16 is not a multiple of 7, so the run does not compete.
TEST(LayoutAnswer, SaysWhyFasterRunIsNotKept) {
  StudyRequest request = answer_request({run_on("only", 16, 10, 9, 10.5)}, 32, "");
  for (Component& component : request.problem.components) component.block_size = 7;
  const Study found = study(request);
  ASSERT_GT(found.time(), 10.5);
  EXPECT_THAT(all(answer(found).remarks),
              HasSubstr("%), because block sizes, limits or rules exclude the task counts of your run."));
}

TEST(LayoutAnswer, KeepsLayoutWithItsRange) {
  const Study found = study_of({run_on("own", 16, 10, 9, 10)}, 32, "");
  ASSERT_TRUE(found.keeps_own_layout());
  const Answer kept = answer(found);
  EXPECT_THAT(kept.headline(), StartsWith("Keep your layout on 32 tasks: 10.00 s/model day (90 %: "));
  EXPECT_THAT(kept.remarks, Contains(StartsWith("Measured in own; the times below are those of this run.")));
  EXPECT_THAT(kept.notes, Contains("ATM is on the critical path."));
}

}  // namespace
}  // namespace plimsoll::pelayout
