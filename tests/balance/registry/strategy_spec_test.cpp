#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/strategy.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TEST(StrategySpec, ParsesNameWithAndWithoutParameters) {
  EXPECT_EQ(StrategySpec::parse("RefineLB"), (StrategySpec{"RefineLB"}));
  EXPECT_EQ(StrategySpec::parse("RefineLB()"), (StrategySpec{"RefineLB"}));
  EXPECT_EQ(StrategySpec::parse(" RefineLB ( tolerance = 3, max_moves=1 ) "),
            (StrategySpec{"RefineLB", {{"tolerance", "3"}, {"max_moves", "1"}}}));
  EXPECT_EQ(StrategySpec::parse("./libFooLB.so(depth=3)"), (StrategySpec{"./libFooLB.so", {{"depth", "3"}}}));
  EXPECT_EQ(StrategySpec::parse("PrescribedLB(placement=[1,0])"),
            (StrategySpec{"PrescribedLB", {{"placement", "[1,0]"}}}));
}

TEST(StrategySpec, ParsesList) {
  EXPECT_THAT(
      StrategySpec::parse_list("GreedyLB, RefineLB(tolerance=2,max_moves=1),NoLB"),
      ElementsAre(StrategySpec{"GreedyLB"},
                  StrategySpec{"RefineLB", {{"tolerance", "2"}, {"max_moves", "1"}}}, StrategySpec{"NoLB"}));
  EXPECT_ERROR(StrategySpec::parse("GreedyLB,NoLB"), usage, "expected one strategy, found 2");
}

TEST(StrategySpec, RoundTripsText) {
  for (const char* text : {"GreedyLB", "RefineLB(tolerance=3,max_moves=1)", "PrescribedLB(placement=[1,0])"})
    EXPECT_EQ(to_string(StrategySpec::parse(text)), text);
}

TEST(StrategySpec, RejectsInvalidText) {
  EXPECT_ERROR(StrategySpec::parse("RefineLB(tolerance=1.1"), usage,
               "invalid strategy \"RefineLB(tolerance=1.1\": missing ')'");
  EXPECT_ERROR(StrategySpec::parse("RefineLB)"), usage, "unmatched ')'");
  EXPECT_ERROR(StrategySpec::parse("RefineLB(tolerance=2) NoLB"), usage, "missing ',' after ')'");
  EXPECT_ERROR(StrategySpec::parse("RefineLB(tolerance)"), usage, "expected name=value, found \"tolerance\"");
}

TEST(AllStrategies, RunWithDefaults) {
  const std::vector<StrategySpec> specs = all_strategies();
  EXPECT_THAT(specs, Contains(StrategySpec{"GreedyLB"}));
  EXPECT_THAT(specs, Not(Contains(StrategySpec{"PrescribedLB"})));
  EXPECT_EQ(specs.size() + 1, StrategyRegistry::builtin().list().size());
}

TEST(MakeStrategy, PassesParametersAndReportsRequiredColumns) {
  const auto strategy = make_strategy({"RandomLB", {{"seed", "7"}}});
  EXPECT_EQ(strategy->name(), "RandomLB");
  EXPECT_EQ(strategy->parameters().get<std::int64_t>("seed"), 7);
  EXPECT_FALSE(strategy->needs().memory);
  EXPECT_TRUE(make_strategy({"RandomLB", {{"max_memory_bytes", "1"}}})->needs().memory);
  EXPECT_TRUE(make_strategy({"OptimalLB"})->needs().memory);
  EXPECT_TRUE(make_strategy({"OrbLB", {{"max_moves", "3"}}})->needs().positions);
}

TEST(MakeStrategy, PassesWorkModelToStrategiesThatUseIt) {
  const WorkCoefficients work{.beta = 0.25, .gamma = 3};
  const auto optimal = make_strategy({"OptimalLB", {{"gamma", "1"}}}, work);
  EXPECT_EQ(optimal->parameters().get<double>("beta"), 0.25);
  EXPECT_EQ(optimal->parameters().get<double>("gamma"), 1);
  EXPECT_EQ(optimal->parameters().get<double>("beta_node"), -1);
  EXPECT_NO_THROW(make_strategy({"GreedyLB"}, work));
}

TEST(MakeStrategies, PassesCommonParametersWhereSupported) {
  const std::vector<StrategySpec> specs = {{"GreedyLB"}, {"RandomLB"}, {"RandomLB", {{"seed", "5"}}}};
  const auto strategies = make_strategies(specs, {{"seed", "9"}, {"max_moves", "4"}});
  EXPECT_EQ(strategies[0]->parameters().get<std::int64_t>("max_moves"), 4);
  EXPECT_EQ(strategies[1]->parameters().get<std::int64_t>("seed"), 9);
  EXPECT_EQ(strategies[2]->parameters().get<std::int64_t>("seed"), 5);
}

TEST(MakeStrategies, RejectsUnsupportedParameters) {
  const std::vector<StrategySpec> greedy = {{"GreedyLB"}};
  EXPECT_ERROR(make_strategies(greedy, {{"seed", "1"}}), usage,
               "unknown parameter \"seed\": not accepted by any selected strategy");
  EXPECT_ERROR(make_strategy({"RandomLB", {{"seed", "1"}, {"seed", "2"}}}), usage,
               "duplicate parameter \"seed\" of RandomLB");
  EXPECT_ERROR(make_strategy({"GredyLB"}), usage, "unknown strategy \"GredyLB\"");
}

}  // namespace
}  // namespace plimsoll::balance
