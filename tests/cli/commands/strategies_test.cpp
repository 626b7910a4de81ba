#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Strategies, ListsStrategies) {
  const Outcome outcome = run_plimsoll({"strategies"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"GreedyLB", "NoLB", "RandomLB", "RefineLB", "RefineSwapLB", "RotateLB"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + name));
  }
}

TEST(Strategies, ShowsOneStrategyInDetail) {
  const Outcome outcome = run_plimsoll({"strategies", "RandomLB"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, ContainsRegex("seed +integer +1 +random seed"));
  EXPECT_THAT(outcome.out, HasSubstr("--strategy RandomLB --param seed=1"));
}

TEST(Strategies, PrintsJson) {
  const Json all(run_plimsoll({"strategies", "--json"}).out);
  EXPECT_GE(all.size("/strategies"), 5U);
  const Json one(run_plimsoll({"strategies", "RandomLB", "--json"}).out);
  EXPECT_EQ(one.size("/strategies"), 1U);
  EXPECT_EQ(one.text("/strategies/0/name"), "RandomLB");
  EXPECT_EQ(one.text("/strategies/0/parameters/0/type"), "integer");
  EXPECT_EQ(one.integer("/strategies/0/parameters/0/default"), 1);
}

TEST(Strategies, NamesReplacementsForStrategiesOfOtherTools) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"strategies", "TemperedLB"},
        std::vector<std::string>{"balance", own_path("lb/blocks"), "--strategy", "TemperedLB"}}) {
    const Outcome outcome = run_plimsoll(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("unknown strategy \"TemperedLB\", a strategy of vt; use RefineLB"));
  }
}

TEST(Strategies, SuggestsNearestName) {
  const Outcome outcome = run_plimsoll({"strategies", "GredyLB"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"GreedyLB\"?"));
}

}  // namespace
}  // namespace plimsoll::testing
