#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/pelayout/submission.hpp>

#include "common/temporary_folder.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

class PreviewCase : public ::testing::Test {
 protected:
  PreviewCase() {
    plan_ = {.name = "a", .folder = root_ / "a", .pesize = "a", .commands = {}};
    plan_.commands = {{{"mkdir", "a"}, root_.path()}, {{"false"}, root_.path()}, {{"true"}, root_.path()}};
  }

  plimsoll::testing::TemporaryFolder root_;
  CasePlan plan_;
};

TEST_F(PreviewCase, StartsAtFirstUnfinishedCommand) {
  EXPECT_EQ(preview_case(plan_, false).first_command(), 0U);
  run_submission({plan_});
  const CasePreview preview = preview_case(plan_, false);
  EXPECT_EQ(preview.progress.state, CaseState::unfinished);
  EXPECT_EQ(preview.first_command(), 1U);
  EXPECT_FALSE(preview.purges);
}

TEST_F(PreviewCase, RestartsPurgedCase) {
  EXPECT_FALSE(preview_case(plan_, true).purges) << "nothing exists yet";
  run_submission({plan_});
  EXPECT_TRUE(preview_case(plan_, true).purges);
  EXPECT_EQ(preview_case(plan_, true).first_command(), 0U);
}

TEST_F(PreviewCase, RunsNothingForBlockedCase) {
  std::filesystem::create_directory(plan_.folder);
  const CasePreview preview = preview_case(plan_, false);
  EXPECT_EQ(preview.progress.state, CaseState::blocked);
  EXPECT_EQ(preview.first_command(), plan_.commands.size());
}

TEST(Tally, CountsResults) {
  const CaseReport reports[] = {{.name = "a", .result = CaseResult::submitted},
                                {.name = "b", .result = CaseResult::failed},
                                {.name = "c", .result = CaseResult::failed}};
  EXPECT_EQ(tally(reports).submitted, 1U);
  EXPECT_EQ(tally(reports).skipped, 0U);
  EXPECT_EQ(tally(reports).failed, 2U);
}

TEST(CaseStates, HaveNamesUsedInJson) {
  EXPECT_STREQ(to_string(CaseState::unfinished), "unfinished");
  EXPECT_STREQ(to_string(CaseState::blocked), "blocked");
  EXPECT_STREQ(to_string(CaseResult::skipped), "skipped");
}

}  // namespace
}  // namespace plimsoll::pelayout
