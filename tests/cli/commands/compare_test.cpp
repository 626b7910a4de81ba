#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Compares strategies on the small data set: rank 0 of 2 has loads 3 and 1, and a non-migratable object of
/// 0.5.
Outcome compare(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  arguments.insert(arguments.begin(), {"compare", folder / "data"});
  return run_plimsoll(arguments);
}

TEST(Compare, PrintsRowForEveryStrategy) {
  const Outcome outcome = compare({});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Phase 1: 2 ranks, 3 objects. No placement can take less than 3.00 s"));
  for (const char* strategy :
       {"(as recorded)", "GreedyLB", "NoLB", "RandomLB", "RefineLB", "RefineSwapLB", "RotateLB"})
    EXPECT_THAT(outcome.out, HasSubstr(strategy));
  EXPECT_THAT(outcome.out, HasSubstr("*  NoLB"));
}

TEST(Compare, ShowsImbalanceLikeInfo) {
  const std::string text = compare({}).out;
  EXPECT_THAT(text, ::testing::ContainsRegex("strategy +imbalance  above bound"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\\(as recorded\\) +1\\.0000 +\\+50\\.00 % "));
  EXPECT_THAT(text, ::testing::ContainsRegex("NoLB +1\\.0000 "));
  EXPECT_THAT(text, HasSubstr("* not dominated (Pareto): no other placement"));
  EXPECT_THAT(text, Not(HasSubstr("-0.0")));
}

TEST(Compare, ShowsMemoryOfEachPlacement) {
  const std::vector<std::string> command = {"compare",           own_path("lb/blocks"), "--strategies",
                                            "GreedyLB,RefineLB", "--ranks-per-node",    "2"};
  const std::string text = run_plimsoll(command).out;
  EXPECT_THAT(text, HasSubstr("max memory  max node memory"));
  EXPECT_THAT(text, ::testing::ContainsRegex("\\(as recorded\\) .* 6\\.00 s +32 B +64 B "));
  EXPECT_THAT(text, ::testing::ContainsRegex("   GreedyLB .* 4\\.00 s +64 B +88 B "));
  auto as_json = command;
  as_json.emplace_back("--json");
  const Json json(run_plimsoll(as_json).out);
  EXPECT_EQ(json.number("/start/max_memory_bytes"), 32);
  EXPECT_EQ(json.number("/start/max_node_memory_bytes"), 64);
  EXPECT_EQ(json.number("/strategies/0/max_memory_bytes"), 64);
  EXPECT_EQ(json.number("/strategies/0/max_node_memory_bytes"), 88);
  EXPECT_THAT(compare({}).out, Not(HasSubstr("memory")));
}

TEST(Compare, AcceptsListOfStrategiesWithParameters) {
  const Outcome outcome =
      compare({"--strategies", "RefineLB(tolerance=3,max_moves=1),RandomLB", "--phase", "0"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("RefineLB(tolerance=3,max_moves=1)"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("GreedyLB")));
}

TEST(Compare, PrintsJson) {
  const Json json(compare({"--strategies", "GreedyLB,NoLB", "--json"}).out);
  EXPECT_EQ(json.integer("/phase"), 1);
  EXPECT_EQ(json.integer("/ranks"), 2);
  EXPECT_EQ(json.integer("/objects"), 3);
  EXPECT_EQ(json.number("/lower_bound_s"), 3);
  EXPECT_EQ(json.number("/start/max_load_s"), 4.5);
  EXPECT_EQ(json.size("/strategies"), 2u);
  EXPECT_EQ(json.text("/strategies/0/strategy"), "GreedyLB");
  EXPECT_EQ(json.number("/strategies/0/max_load_s"), 3);
  EXPECT_EQ(json.number("/strategies/0/above_bound"), 0);
  EXPECT_EQ(json.number("/strategies/0/work_max_s"), 3);
  EXPECT_EQ(json.number("/strategies/0/off_rank_bytes"), 100);
  EXPECT_EQ(json.integer("/strategies/0/moved_objects"), 1);
  EXPECT_TRUE(json.has("/strategies/0/strategy_time_s"));
  EXPECT_TRUE(json.truth("/strategies/0/non_dominated"));
  EXPECT_EQ(json.integer("/strategies/1/parameters/max_moves"), -1);
}

TEST(Compare, PassesCommonParametersToStrategiesThatSupportThem) {
  const Json json(
      compare({"--strategies", "GreedyLB,RandomLB", "--param", "seed=9", "--param", "max_moves=0", "--json"})
          .out);
  EXPECT_EQ(json.integer("/strategies/1/parameters/seed"), 9);
  EXPECT_EQ(json.integer("/strategies/0/moved_objects"), 0);
  EXPECT_EQ(json.integer("/strategies/1/moved_objects"), 0);
}

TEST(Compare, RunsEachStrategyWithEachBudget) {
  const Json json(compare({"--strategies", "GreedyLB,NoLB", "--budget", "0,50%,all", "--json"}).out);
  EXPECT_EQ(json.size("/strategies"), 6u);
  EXPECT_EQ(json.integer("/strategies/0/parameters/max_moves"), 0);
  EXPECT_EQ(json.integer("/strategies/0/moved_objects"), 0);
  EXPECT_EQ(json.integer("/strategies/1/parameters/max_moves"), 1);  // half of 3 objects
  EXPECT_EQ(json.number("/strategies/1/max_load_s"), 3);
  EXPECT_EQ(json.integer("/strategies/2/parameters/max_moves"), -1);
  EXPECT_EQ(json.text("/strategies/3/strategy"), "NoLB");
  const std::string text = compare({"--strategies", "GreedyLB", "--budget", "1"}).out;
  EXPECT_THAT(text, ::testing::ContainsRegex("strategy +budget +imbalance"));
  EXPECT_THAT(text, ::testing::ContainsRegex("GreedyLB +1 +0\\.3333 "));
}

TEST(Compare, PassesWorkModelToStrategiesThatUseIt) {
  const Json json(
      compare({"--strategies", "OptimalLB,OptimalLB(beta=0),GreedyLB", "--work", "1,0.1,0", "--json"}).out);
  EXPECT_EQ(json.number("/strategies/0/parameters/beta"), 0.1);
  EXPECT_EQ(json.number("/strategies/0/work_max_s"), 4);  // both objects on rank 1: 100 bytes would cost 10 s
  EXPECT_EQ(json.number("/strategies/1/parameters/beta"), 0);
  EXPECT_EQ(json.number("/strategies/1/work_max_s"), 13);
}

TEST(Compare, ShowsOneMeasure) {
  const std::string loads = compare({"--strategies", "NoLB"}).out;
  EXPECT_THAT(loads, ::testing::ContainsRegex("strategy +imbalance +above bound"));
  EXPECT_THAT(loads, HasSubstr("at least as good in max load, off-rank"));
  const std::string work = compare({"--strategies", "NoLB", "--work", "2,0,1"}).out;
  EXPECT_THAT(work, HasSubstr("No placement can have a maximum work below 7.00 s.\n"));
  EXPECT_THAT(work, ::testing::ContainsRegex("strategy +work imbalance +work above bound +max work"));
  EXPECT_THAT(work, ::testing::ContainsRegex("NoLB +0\\.8182 +\\+42\\.86 % +10\\.0 s"));
  EXPECT_THAT(work, HasSubstr("at least as good in max work, off-rank"));
}

TEST(Compare, ReportsFailedStrategies) {
  const Outcome outcome = compare({"--strategies", "NoLB,PrescribedLB(placement=0)"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("PrescribedLB(placement=0) failed: "));
}

TEST(Compare, FailsIfAllStrategiesFail) {
  const Outcome outcome = compare({"--param", "max_memory_bytes=1e9"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("cannot apply max_memory_bytes: no object has a size in the data"));
  const Outcome one = compare({"--strategies", "GreedyLB(max_moved_bytes=1e9),NoLB"});
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.out, HasSubstr("GreedyLB(max_moved_bytes=1e9) failed: cannot apply max_moved_bytes"));
}

TEST(Compare, RejectsInvalidArguments) {
  for (const auto& [arguments, message] : std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{"--strategies", "GredyLB"}, "did you mean \"GreedyLB\"?"},
           {{"--strategies", "RefineLB(tolerance=1.1"}, "invalid strategy"},
           {{"--strategies", "RefineLB(tolerance)"}, "expected name=value, found \"tolerance\""},
           {{"--strategies", "GreedyLB,"}, "unknown strategy \"\""},
           {{"--strategies", "GreedyLB", "--param", "seed=1"},
            "unknown parameter \"seed\": not accepted by any selected strategy"},
           {{"--budget", "1,x"}, "invalid budget \"x\""},
           {{"--budget", "1", "--param", "max_moves=2"}, "max_moves cannot be combined with --budget"},
           {{"--load-dimension", "gpu"}, "has \"gpu\" in its user_defined"},
           {{"--ranks-per-node", "-1"}, "the number of ranks per node must be >= 0"}}) {
    const Outcome outcome = compare(arguments);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace plimsoll::testing
