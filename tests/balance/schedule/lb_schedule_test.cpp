#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>

#include <plimsoll/balance/lb_schedule.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

using ::testing::HasSubstr;

LbSchedule schedule_of(std::string_view text) {
  return LbSchedule::parse(text, "lb.conf");
}

/// Returns the strategy as text; "-" if none runs.
std::string strategy_at(const LbSchedule& schedule, std::int64_t phase) {
  const auto strategy = schedule.strategy(phase);
  return strategy ? to_string(*strategy) : "-";
}

std::string phases_of(const LbSchedule& schedule, std::int64_t last) {
  std::string phases;
  for (std::int64_t phase = 0; phase <= last; ++phase)
    if (schedule.strategy(phase)) phases += fmt::format("{}{}", phases.empty() ? "" : " ", phase);
  return phases;
}

/// Registry with the strategies and parameters of vt's tests.
StrategyRegistry vt_registry() {
  StrategyRegistry registry;
  const auto add = [&](const char* name, const std::vector<std::string>& parameters) {
    StrategyInfo info{
        name, "", {}, [name](const Parameters&) { return StrategyRegistry::builtin().create("NoLB"); }};
    for (const std::string& parameter : parameters)
      info.parameters.push_back({parameter, std::string("x"), ""});
    registry.add(info);
  };
  add("NoLB", {});
  add("GreedyLB", {"min"});
  add("HierarchicalLB", {"min", "max", "auto", "test_xyz"});
  add("TemperedLB", {"c", "k", "f", "i"});
  return registry;
}

TEST(LbSchedule, AgreesWithVtTestOfPrecedence) {
  const LbSchedule schedule = schedule_of("0 NoLB\n1 HierarchicalLB\n%10 HierarchicalLB\n");
  EXPECT_EQ(phases_of(schedule, 25), "1 10 20");
  EXPECT_EQ(schedule.table(),
            "Exact config lines:\n"
            "Run `NoLB` on phase 0\n"
            "Run `HierarchicalLB` on phase 1\n"
            "Mod (%) config lines:\n"
            "Run `HierarchicalLB` every 10 phases\n");
}

TEST(LbSchedule, AgreesWithVtTestOfArguments) {
  const LbSchedule schedule = LbSchedule::parse(
      "0 NoLB\n1 HierarchicalLB min=0.9 max=1.1 auto=false\n%10 TemperedLB c=1 k=5 f=2 i=10\n"
      "%5 GreedyLB min=1.0\n120 HierarchicalLB test_xyz=3\n",
      "lb.conf", vt_registry());
  for (std::int64_t phase = 0; phase <= 120; ++phase) {
    std::string expected = "-";
    if (phase % 5 == 0) expected = "GreedyLB(min=1.0)";
    if (phase % 10 == 0) expected = "TemperedLB(c=1,k=5,f=2,i=10)";
    if (phase == 0) expected = "-";
    if (phase == 1) expected = "HierarchicalLB(min=0.9,max=1.1,auto=false)";
    if (phase == 120) expected = "HierarchicalLB(test_xyz=3)";
    EXPECT_EQ(strategy_at(schedule, phase), expected) << phase;
  }
  EXPECT_EQ(schedule.table(),
            "Exact config lines:\n"
            "Run `NoLB` on phase 0\n"
            "Run `HierarchicalLB` on phase 1 with arguments `auto=false max=1.1 min=0.9`\n"
            "Run `HierarchicalLB` on phase 120 with arguments `test_xyz=3`\n"
            "Mod (%) config lines:\n"
            "Run `GreedyLB` every 5 phases with arguments `min=1.0` excluding phases 10, 20, 30, 40, 50, 60, "
            "70, 80, 90, 100, 110, 120\n"
            "Run `TemperedLB` every 10 phases with arguments `c=1 f=2 i=10 k=5` excluding phases 120\n");
}

TEST(LbSchedule, FindsOfflineLb) {
  EXPECT_TRUE(schedule_of("0 NoLB\n1 OfflineLB\n%10 OfflineLB\n").uses(offline_lb));
  EXPECT_FALSE(schedule_of("0 NoLB\n").uses(offline_lb));
}

TEST(LbSchedule, AcceptsExamplesOfVtDocumentation) {
  const LbSchedule schedule =
      schedule_of("0 HierarchicalLB min=0.9 max=1.1 auto=false\n% 5 GreedyLB min=1.0");
  EXPECT_EQ(strategy_at(schedule, 0), "HierarchicalLB(min=0.9,max=1.1,auto=false)");
  EXPECT_EQ(strategy_at(schedule, 15), "GreedyLB(min=1.0)");
}

TEST(LbSchedule, AcceptsParametersOfVtStrategies) {
  EXPECT_NO_THROW(schedule_of("GreedyLB min=0.3 max=1.004 auto=t strategy=bcast"));
  EXPECT_NO_THROW(schedule_of("HierarchicalLB min=0.8 max=1.004 auto=1 strategy=LoadOverOneEach"));
  EXPECT_NO_THROW(schedule_of("RandomLB randomize_seed=f seed=123456789"));
  EXPECT_NO_THROW(schedule_of("RotateLB"));
  EXPECT_NO_THROW(schedule_of("ClusterLB memory_threshold=1e9"));
  EXPECT_NO_THROW(schedule_of("TestSerializationLB"));
}

TEST(LbSchedule, AppliesEntriesWithoutNumberToEveryPhase) {
  for (const char* text : {"RefineLB", "% RefineLB", "%1 RefineLB", " %\t1  RefineLB "})
    EXPECT_EQ(phases_of(schedule_of(text), 3), "0 1 2 3") << text;
}

TEST(LbSchedule, AcceptsCommentsAndWhiteSpace) {
  const LbSchedule schedule = schedule_of(
      "\n# strategies\r\n\r\n \t\n5 RefineLB  \t \n6 GreedyLB min=0.5   # keep half\r\n#7 NoLB\n\n");
  EXPECT_EQ(phases_of(schedule, 10), "5 6");
  EXPECT_EQ(schedule.entries()[1].line, 6U);
  EXPECT_EQ(strategy_at(schedule, 6), "GreedyLB(min=0.5)");
  EXPECT_EQ(phases_of(schedule_of(""), 3), "");
}

TEST(LbSchedule, RejectsNumbersThatOccurTwice) {
  EXPECT_ERROR(schedule_of("1 NoLB\n\n1 RefineLB"), bad_input,
               "lb.conf:3: column 1: duplicate entry for phase 1, first on line 1");
  EXPECT_ERROR(schedule_of("RefineLB\n  % 1 GreedyLB"), bad_input,
               "lb.conf:2: column 3: duplicate entry for %1, first on line 1");
  EXPECT_NO_THROW(schedule_of("1 NoLB\n%1 RefineLB"));
}

TEST(LbSchedule, RejectsInvalidNumbers) {
  EXPECT_ERROR(schedule_of("%0 RefineLB"), bad_input, "lb.conf:1: column 2: invalid divisor 0");
  EXPECT_ERROR(schedule_of("-1 RefineLB"), bad_input, "column 1: negative phase number");
  EXPECT_ERROR(schedule_of("+1 RefineLB"), bad_input, "column 1: expected a number, found \"+1\"");
  EXPECT_ERROR(schedule_of("5x RefineLB"), bad_input, "expected a number, found \"5x\"");
  EXPECT_ERROR(schedule_of("% 9223372036854775808 RefineLB"), bad_input, "exceeds 64 bits");
  EXPECT_EQ(strategy_at(schedule_of("9223372036854775807 RefineLB"), 9223372036854775807), "RefineLB");
}

TEST(LbSchedule, RejectsUnknownStrategies) {
  EXPECT_ERROR(schedule_of("\n10 GredyLB"), bad_input,
               "lb.conf:2: column 4: unknown strategy \"GredyLB\"; did you mean \"GreedyLB\"?");
  EXPECT_ERROR(schedule_of("10"), bad_input, "column 3: missing name of a strategy");
  EXPECT_ERROR(schedule_of("%"), bad_input, "column 2: missing name of a strategy");
  EXPECT_ERROR(schedule_of("10 min=0.5"), bad_input, "unknown strategy \"min=0.5\"");
}

TEST(LbSchedule, RejectsInvalidArgumentsWithTheirColumn) {
  EXPECT_ERROR(
      schedule_of("1 GreedyLB min=0.5 c=0"), bad_input,
      "lb.conf:1: column 20: unknown parameter \"c\" of GreedyLB; available: min, max, auto, strategy");
  EXPECT_ERROR(schedule_of("1 GreedyLB min=0.5 max=high"), bad_input,
               "column 20: invalid value \"high\" for parameter \"max\" of GreedyLB");
  EXPECT_ERROR(schedule_of("1 GreedyLB max="), bad_input, "column 12: invalid value \"\"");
  EXPECT_ERROR(schedule_of("1 GreedyLB min"), bad_input,
               "column 12: invalid strategy argument \"min\": expected KEY=VALUE");
  EXPECT_ERROR(schedule_of("1 GreedyLB =1"), bad_input, "column 12: invalid strategy argument \"=1\"");
  EXPECT_ERROR(schedule_of("1 GreedyLB min=0 min=1"), bad_input, "column 18: ");
  EXPECT_ERROR(schedule_of("1 GreedyLB min=0.9 max=0.5"), bad_input, "column 3: invalid min 0.9 and max 0.5");
  EXPECT_ERROR(schedule_of("1 RotateLB foo=1"), bad_input, "unknown parameter \"foo\" of RotateLB");
  EXPECT_ERROR(schedule_of("1 OfflineLB foo=1"), bad_input, "OfflineLB has no parameters");
}

TEST(LbSchedule, NamesAReplacementForStrategiesThatOnlyVtHas) {
  EXPECT_ERROR(schedule_of("%10 ZoltanLB"), bad_input, "a strategy of vt");
  EXPECT_ERROR(schedule_of("%10 ZoltanLB"), bad_input, "use ");
}

TEST(LbSchedule, SurvivesAnyText) {
  std::mt19937 random(7);
  const std::string characters = "% #\t\n\r=0123456789-+GreedyLBNoLBminmax.\\\"\xff";
  for (int text_number = 0; text_number < 20000; ++text_number) {
    std::string text;
    for (std::size_t length = random() % 30; length > 0; --length)
      text += characters[random() % characters.size()];
    try {
      schedule_of(text).table();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input) << text;
      EXPECT_TRUE(error.diagnostic().line.has_value()) << text;
    }
  }
}

TEST(LbSchedule, PrefersExactEntriesAndThenTheFirstDivisor) {
  const std::vector<std::string> strategies = {"RefineLB", "GreedyLB", "NoLB", "RotateLB", "RandomLB"};
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    struct Line {
      bool modulus;
      std::int64_t number;
      std::string strategy;
    };
    std::vector<Line> lines;
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) {
      const Line line{random() % 2 == 0,
                      1 + static_cast<std::int64_t>(random() % (random() % 2 == 0 ? 12 : 120)),
                      strategies[random() % strategies.size()]};
      if (std::ranges::any_of(lines, [&](const Line& other) {
            return other.modulus == line.modulus && other.number == line.number;
          }))
        continue;
      lines.push_back(line);
      text += fmt::format("{}{} {}\n", line.modulus ? "%" : "", line.number, line.strategy);
    }
    const LbSchedule schedule = schedule_of(text);
    for (std::int64_t phase = 0; phase <= 120; ++phase) {
      std::string expected = "NoLB";
      for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        if (line->modulus && phase % line->number == 0) expected = line->strategy;
      for (const Line& line : lines)
        if (!line.modulus && phase == line.number) expected = line.strategy;
      EXPECT_EQ(strategy_at(schedule, phase), expected == "NoLB" ? "-" : expected) << text << phase;
    }
  }
}

TEST(LbSchedule, RunsOneStrategyInVtIntervals) {
  EXPECT_EQ(phases_of(LbSchedule::single({"RefineLB"}), 5), "1 2 3 4 5");
  EXPECT_EQ(phases_of(LbSchedule::single({"RefineLB"}, 10), 30), "1 11 21");
  EXPECT_EQ(phases_of(LbSchedule::single({"RefineLB"}, 10, true), 30), "0 10 20 30");
  EXPECT_EQ(phases_of(LbSchedule::single({"RefineLB"}, 1, true), 3), "0 1 2 3");
  EXPECT_EQ(phases_of(LbSchedule::single({"NoLB"}), 5), "");
  EXPECT_EQ(LbSchedule::single({"RefineLB"}, 10).table(),
            "Mod (%) config lines:\nRun `RefineLB` every 10 phases from phase 1\n");
}

TEST(LbSchedule, LimitsTheExcludedPhasesOfItsTable) {
  const LbSchedule schedule = schedule_of("%2 NoLB\n%1 RefineLB\n9223372036854775807 NoLB\n");
  EXPECT_THAT(schedule.table(), HasSubstr("every 1 phases excluding phases 2, 4, 6, 8, 10, "));
  EXPECT_THAT(schedule.table(), HasSubstr("38, 40, ...\n"));
}

TEST(LbArguments, ParseKeysAndValues) {
  EXPECT_TRUE(parse_lb_arguments(" \t").empty());
  const auto arguments = parse_lb_arguments(" min=0.9  a=b=c ");
  ASSERT_EQ(arguments.size(), 2U);
  EXPECT_EQ(arguments[0], (std::pair<std::string, std::string>("min", "0.9")));
  EXPECT_EQ(arguments[1], (std::pair<std::string, std::string>("a", "b=c")));
  EXPECT_ERROR(parse_lb_arguments("min=1 min=2"), usage, "duplicate strategy argument \"min\"");
  EXPECT_ERROR(parse_lb_arguments("min = 1"), usage, "invalid strategy argument \"min\"");
}

TEST(LbArguments, AreDescribedForOneOrAllStrategies) {
  EXPECT_THAT(lb_arguments_help("RefineLB"), HasSubstr("tolerance"));
  EXPECT_THAT(lb_arguments_help("NoLB"), HasSubstr("randomize_seed"));
  EXPECT_THAT(lb_arguments_help(), HasSubstr("GreedyLB: "));
  EXPECT_EQ(lb_arguments_help("OfflineLB"), "OfflineLB has no parameters\n");
  EXPECT_ERROR(lb_arguments_help("GredyLB"), usage, "did you mean \"GreedyLB\"?");
}

}  // namespace
}  // namespace plimsoll::balance
