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
       {std::vector<std::string>{"strategies", "OfflineLB"},
        std::vector<std::string>{"balance", own_path("lb/blocks"), "--strategy", "OfflineLB"}}) {
    const Outcome outcome = run_plimsoll(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("unknown strategy \"OfflineLB\", a strategy of vt; use PrescribedLB"));
  }
}

TEST(Strategies, SuggestsNearestName) {
  const Outcome outcome = run_plimsoll({"strategies", "GredyLB"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"GreedyLB\"?"));
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Models, ListsModels) {
  const Outcome outcome = run_plimsoll({"models"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"CommOverhead", "LinearModel", "MultiplePhases", "NaivePersistence", "Norm",
                           "PerCollection", "PersistenceMedianLastN", "RawData", "SelectSubphases",
                           "WeightedCommunicationVolume", "WeightedMessages"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + name + " "));
  }
}

TEST(Models, ShowsOneModelInDetail) {
  const Outcome outcome = run_plimsoll({"models", "LinearModel"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("length     integer  5"));
  EXPECT_THAT(outcome.out, HasSubstr("--load-model 'LinearModel(length=5)'"));
  EXPECT_THAT(run_plimsoll({"models", "RawData"}).out, HasSubstr("No parameters."));
}

TEST(Models, PrintsJson) {
  EXPECT_EQ(Json(run_plimsoll({"models", "--json"}).out).size("/models"), 12U);
  const Json one(run_plimsoll({"models", "LinearModel", "--json"}).out);
  EXPECT_EQ(one.size("/models"), 1U);
  EXPECT_EQ(one.text("/models/0/name"), "LinearModel");
  EXPECT_EQ(one.integer("/models/0/parameters/0/default"), 5);
}

TEST(Models, SuggestsNearestName) {
  const Outcome outcome = run_plimsoll({"models", "LinerModel"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"LinearModel\"?"));
}

// Writes a data set: rank 0 has two objects, rank 1 none. One load grows by 1 s per phase, the other shrinks
// from 5 s to 1 s.
void write_growing_dataset(const std::string& folder) {
  std::string phases;
  for (int phase = 0; phase < 3; ++phase) {
    const auto task = [](int id, double time_s) {
      return R"({"entity":{"home":0,"id":)" + std::to_string(id) +
             R"(,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":)" +
             std::to_string(time_s) + "}";
    };
    phases += (phase == 0 ? "" : ",") + (R"({"id":)" + std::to_string(phase) + R"(,"tasks":[)") +
              task(1, 1 + phase) + "," + task(2, 5 - 2 * phase) + "]}";
  }
  write_file(folder + "/data.0.json",
             R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[)" + phases + "]}");
  write_file(
      folder + "/data.1.json",
      R"({"metadata":{"rank":1,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]},{"id":1,"tasks":[]},)"
      R"({"id":2,"tasks":[]}]})");
}

TEST(LoadModelOption, PassesPredictedLoadsToStrategy) {
  const TemporaryFolder folder;
  write_growing_dataset(folder.path());
  const auto balance = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"balance", folder.path(), "--strategy", "GreedyLB", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_plimsoll(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json(outcome.out);
  };
  const Json measured = balance({});
  EXPECT_EQ(measured.text("/load_model"), "NaivePersistence");
  EXPECT_EQ(measured.number("/before/max_load_s"), 4);
  const Json line = balance({"--load-model", "LinearModel"});
  EXPECT_EQ(line.text("/load_model"), "LinearModel(length=5)");
  // Loads 4 + 0: the line through the loads of the other object falls below 0.
  EXPECT_DOUBLE_EQ(line.number("/before/max_load_s"), 4);
  const Json further = balance({"--load-model", "LinearModel | MultiplePhases(phases=2)"});
  EXPECT_DOUBLE_EQ(further.number("/before/max_load_s"), 9);  // loads 4 + 5
  const Json earlier = balance({"--load-model", "LinearModel(length=2)", "--phase", "1"});
  EXPECT_DOUBLE_EQ(earlier.number("/before/max_load_s"), 4);  // loads 3 + 1
  EXPECT_EQ(balance({"--load-model", "PersistenceMedianLastN(n=3)"}).number("/before/max_load_s"), 5);
}

TEST(LoadModelOption, AppliesToComparisons) {
  const TemporaryFolder folder;
  write_growing_dataset(folder.path());
  const std::vector<std::string> command = {"compare",      folder.path(),
                                            "--strategies", "GreedyLB",
                                            "--load-model", "LinearModel | MultiplePhases(phases=2)"};
  EXPECT_THAT(
      run_plimsoll(command).out,
      HasSubstr("The loads shown are predicted by LinearModel(length=5) | MultiplePhases(phases=2) for"));
  std::vector<std::string> with_json = command;
  with_json.emplace_back("--json");
  const Json json(run_plimsoll(with_json).out);
  EXPECT_EQ(json.text("/load_model"), "LinearModel(length=5) | MultiplePhases(phases=2)");
  EXPECT_DOUBLE_EQ(json.number("/start/max_load_s"), 9);
}

TEST(LoadModelOption, IsReportedInOutput) {
  const TemporaryFolder folder;
  write_growing_dataset(folder.path());
  const auto text = [&](const char* model) {
    return run_plimsoll({"balance", folder.path(), "--strategy", "NoLB", "--load-model", model}).out;
  };
  EXPECT_THAT(text("LinearModel"),
              HasSubstr("The loads shown are predicted by LinearModel(length=5) for the next phase."));
  EXPECT_THAT(text("NaivePersistence"), Not(HasSubstr("for the next phase")));
}

TEST(LoadModelOption, IsCheckedBeforeReadingData) {
  const Outcome outcome =
      run_plimsoll({"balance", "/nowhere", "--strategy", "NoLB", "--load-model", "LinearModel(lenght=3)"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean \"length\"?"));
}

TEST(LoadModelOption, KeepsMeasuredLoadsInOutputFiles) {
  const TemporaryFolder folder;
  write_growing_dataset(folder.path());
  EXPECT_EQ(run_plimsoll({"balance", folder.path(), "--strategy", "RotateLB", "--load-model", "LinearModel",
                          "-o", folder / "out"})
                .status,
            0);
  const Json info(run_plimsoll({"info", folder / "out", "--json"}).out);
  EXPECT_EQ(info.number("/phases/2/max_load_s"), 4);
}

}  // namespace
}  // namespace plimsoll::testing
