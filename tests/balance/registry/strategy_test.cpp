#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/error.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::string refusal(const std::string& name, const ParameterMap& parameters) {
  const auto error =
      plimsoll::testing::error_of([&] { StrategyRegistry::builtin().create(name, parameters); });
  if (!error) return "accepted";
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  return error->what();
}

TEST(StrategyRegistry, ListsStrategiesByName) {
  std::vector<std::string> names;
  for (const StrategyInfo& info : StrategyRegistry::builtin().list()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.help.empty());
    EXPECT_EQ(info.help.find('\n'), std::string::npos);
  }
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, IsSupersetOf({"GreedyLB", "NoLB", "RandomLB", "RefineLB", "RotateLB"}));
}

TEST(StrategyRegistry, CreatesStrategyWithDefaultAndGivenParameters) {
  const auto strategy = StrategyRegistry::builtin().create("RandomLB", {{"seed", "-7"}});
  EXPECT_EQ(strategy->name(), "RandomLB");
  EXPECT_EQ(strategy->parameters().get<std::int64_t>("seed"), -7);
  EXPECT_EQ(StrategyRegistry::builtin().create("RefineLB")->parameters().get<double>("tolerance"), 1.0005);
}

TEST(StrategyRegistry, SuggestsNearestName) {
  const std::string message = refusal("GredyLB", {});
  EXPECT_THAT(message, HasSubstr("unknown strategy \"GredyLB\""));
  EXPECT_THAT(message, HasSubstr("did you mean \"GreedyLB\"?"));
  EXPECT_THAT(message, HasSubstr("RotateLB"));
}

TEST(StrategyRegistry, RejectsUnknownParameters) {
  EXPECT_THAT(refusal("RefineLB", {{"tolerence", "1.1"}}), HasSubstr("did you mean \"tolerance\"?"));
  EXPECT_THAT(refusal("NoLB", {{"seed", "1"}}), HasSubstr("available: max_moves"));
}

TEST(StrategyRegistry, RejectsValuesOfWrongTypeOrRange) {
  for (const char* text : {"", "x", "1.5x", "nan", "inf", "0.99", " 1.1"})
    EXPECT_NE(refusal("RefineLB", {{"tolerance", text}}), "accepted") << text;
  EXPECT_THAT(refusal("RandomLB", {{"seed", "1.5"}}), HasSubstr("integer"));
}

TEST(StrategyRegistry, AddsStrategiesAndRejectsDuplicates) {
  StrategyRegistry registry = StrategyRegistry::builtin();
  StrategyInfo info = registry.info("NoLB");
  EXPECT_ERROR(registry.add(info), usage, "strategy \"NoLB\" already exists");
  info.name = "AnotherLB";
  EXPECT_ERROR(registry.add(info), usage, "already");  // the registry already has its aliases
  info.aliases.clear();
  registry.add(info);
  EXPECT_EQ(registry.list().front().name, "AnotherLB");
}

TEST(Parameters, ReturnValuesOfEachType) {
  const std::vector<ParameterSpec> specs = {
      {"b", false, ""}, {"i", std::int64_t{1}, ""}, {"r", 1.5, ""}, {"t", std::string("x"), ""}};
  const Parameters parameters("Test", specs, {{"b", "true"}, {"i", "-3"}, {"r", "1e3"}, {"t", "a b"}});
  EXPECT_TRUE(parameters.get<bool>("b"));
  EXPECT_EQ(parameters.get<std::int64_t>("i"), -3);
  EXPECT_EQ(parameters.get<double>("r"), 1000);
  EXPECT_EQ(parameters.get<std::string>("t"), "a b");
  EXPECT_TRUE(Parameters("Test", specs, {{"b", "t"}}).get<bool>("b"));  // short forms of vt
  EXPECT_TRUE(Parameters("Test", specs, {{"b", "1"}}).get<bool>("b"));
  EXPECT_FALSE(Parameters("Test", specs, {{"b", "0"}}).get<bool>("b"));
  EXPECT_ERROR(Parameters("Test", specs, {{"b", "yes"}}), usage,
               "invalid value \"yes\" for parameter \"b\" of Test");
  std::vector<std::string> types;
  for (const ParameterSpec& spec : specs) types.emplace_back(type_name(spec.default_value));
  EXPECT_THAT(types, ElementsAre("boolean", "integer", "real", "text"));
  EXPECT_EQ(to_string(specs[0].default_value), "false");
  EXPECT_EQ(to_string(specs[2].default_value), "1.5");
}

}  // namespace

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
