#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A run of 4 ranks in which a hot spot drifts across the objects.
class ReplayCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_plimsoll({"generate", "--ranks", "4", "--phases", "12", "--objects-per-rank", "16",
                            "--loads", "hot-spot", "-o", data_})
                  .status,
              0);
  }

  Outcome replay(std::vector<std::string> options) const {
    options.insert(options.begin(), {"replay", data_});
    return run_plimsoll(options);
  }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
};

TEST_F(ReplayCommand, AnswersInTheFirstLine) {
  const Outcome outcome = replay({"--strategy", "RefineLB", "--when", "always"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("With RefineLB, the run would take ")) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("12 phases (0 to 11), 4 ranks."));
  EXPECT_THAT(outcome.out, HasSubstr("(no migrations)"));
  EXPECT_THAT(outcome.out, HasSubstr("(not measured)"));
}

TEST_F(ReplayCommand, ListsStrategiesAndIntervals) {
  const Json json(replay({"--strategy", "NoLB,RefineLB", "--interval", "1,5", "--json"}).out);
  EXPECT_EQ(json.text("/replays/0/strategy"), "NoLB");
  EXPECT_EQ(json.number("/replays/0/total_s"), json.number("/not_balanced_s"));
  EXPECT_EQ(json.text("/replays/3/strategy"), "RefineLB");
  EXPECT_EQ(json.integer("/replays/3/interval"), 5);
  EXPECT_EQ(json.text("/replays/3/when"), "always");
  EXPECT_TRUE(json.has("/replays/3/phases/11"));
  EXPECT_LE(json.number("/bound_s"), json.number("/replays/2/phases_s"));
}

TEST_F(ReplayCommand, ReproducesRecordedPlacements) {
  const std::string balanced = folder_ / "balanced";
  ASSERT_EQ(replay({"--strategy", "GreedyLB", "--interval", "3", "-o", balanced}).status, 0);
  std::ofstream schedule(folder_ / "schedule");
  for (int phase = 0; phase < 11; ++phase)
    schedule << phase << " PrescribedLB data=" << balanced << " phase=" << phase + 1 << "\n";
  schedule.close();
  const Json again(replay({"--config", folder_ / "schedule", "--when", "always", "--json"}).out);
  const Json recorded(run_plimsoll({"replay", balanced, "--strategy", "NoLB", "--json"}).out);
  for (int phase = 0; phase < 12; ++phase) {
    const std::string key = "/replays/0/phases/" + std::to_string(phase);
    EXPECT_DOUBLE_EQ(again.number(key + "/time_s"), recorded.number(key + "/recorded_s")) << phase;
  }
}

TEST_F(ReplayCommand, UsesRecordedCosts) {
  const std::string balanced = folder_ / "balanced";
  ASSERT_EQ(replay({"--strategy", "RefineLB", "--when", "always", "--decision-cost", "0.25",
                    "--migration-cost", "0,0.5", "-o", balanced})
                .status,
            0);
  const Json json(run_plimsoll({"replay", balanced, "--strategy", "NoLB", "--json"}).out);
  EXPECT_DOUBLE_EQ(json.number("/costs/per_decision_s"), 0.25);
  EXPECT_GT(json.integer("/costs/fitted_migrations"), 0);
  EXPECT_NEAR(json.number("/costs/migration_times_s/1"), 0.5, 0.05);
}

TEST_F(ReplayCommand, RecordsDecisionsThatCostNothing) {
  const std::string balanced = folder_ / "balanced";
  ASSERT_EQ(replay({"--strategy", "RefineLB", "--when", "always", "--decision-cost", "0", "--migration-cost",
                    "0,0.5", "-o", balanced})
                .status,
            0);
  const Json before(replay({"--strategy", "RefineLB", "--when", "always", "--decision-cost", "0",
                            "--migration-cost", "0,0.5", "--json"})
                        .out);
  const Json after(run_plimsoll({"replay", balanced, "--strategy", "NoLB", "--json"}).out);
  EXPECT_DOUBLE_EQ(after.number("/recorded_total_s"), before.number("/replays/0/total_s"));
}

TEST_F(ReplayCommand, NeedsTwoPhases) {
  const std::string one = folder_ / "one";
  ASSERT_EQ(run_plimsoll({"generate", "--ranks", "2", "--phases", "1", "-o", one}).status, 0);
  const Outcome outcome = run_plimsoll({"replay", one, "--strategy", "RefineLB", "--interval", "auto"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("1 phase with data on all ranks: a replay needs two or more"));
}

TEST_F(ReplayCommand, WritesCsv) {
  const Outcome outcome = replay({"--strategy", "NoLB", "--csv", "-"});
  EXPECT_TRUE(outcome.out.starts_with("phase,imbalance,w_max,mean,bound,")) << outcome.out;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 13);
}

TEST_F(ReplayCommand, RejectsInvalidRequests) {
  const auto error = [&](std::vector<std::string> options) {
    const Outcome outcome = replay(std::move(options));
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  std::ofstream(folder_ / "schedule") << "%2 OfflineLB\n";
  EXPECT_THAT(error({"--config", folder_ / "schedule"}), HasSubstr("OfflineLB cannot be replayed"));
  EXPECT_THAT(error({}), HasSubstr("expected either --strategy or --config"));
  EXPECT_THAT(error({"--strategy", "RefinLB"}), HasSubstr("RefineLB"));
  EXPECT_THAT(error({"--strategy", "RefineLB", "--interval", "0"}), HasSubstr("invalid interval \"0\""));
  EXPECT_THAT(error({"--strategy", "RefineLB", "--when", "often"}), HasSubstr("invalid value \"often\""));
  EXPECT_THAT(error({"--strategy", "RefineLB", "--migration-cost", "1,2,3,4"}),
              HasSubstr("--migration-cost"));
  EXPECT_THAT(error({"--strategy", "RefineLB", "--decision-cost", "-1"}), HasSubstr("--decision-cost"));
  EXPECT_THAT(error({"--strategy", "RefineLB,NoLB", "-o", folder_ / "out"}), HasSubstr("write one replay"));
}

/// LBAF 1.6 prints the sum of the work and its imbalance of each phase: tests/acceptance/test_stepper.py.
TEST(ReplayOfRealData, EqualsPhaseStepperOfLbaf) {
  PLIMSOLL_NEED_SHARED("data/lb/nolb-8color-16nodes-11firstphases");
  const std::string data = shared_path("data/lb/nolb-8color-16nodes-11firstphases");
  const Json json(run_plimsoll({"replay", data, "--strategy", "NoLB", "--work", "1,1e-8,0", "--json"}).out);
  const std::vector<std::pair<double, double>> expected = {
      {10.5817, 0.992173}, {0.642948, 4.91849}, {0.526383, 0.221116}, {0.521197, 0.0442304}};
  for (std::size_t phase = 0; phase < expected.size(); ++phase) {
    const std::string key = "/replays/0/phases/" + std::to_string(phase);
    EXPECT_NEAR(json.number(key + "/mean_s") * 32, expected[phase].first, 1e-4);
    EXPECT_NEAR(json.number(key + "/imbalance"), expected[phase].second, 1e-5);
  }
}

}  // namespace
}  // namespace plimsoll::testing
