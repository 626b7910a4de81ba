#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Info, ShowsSmallDataSet) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll({"info", folder / "data"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("2 ranks, 2 phases, up to 3 objects (2 migratable)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("imbalance is 1.0000 (max 4.50 s, mean 2.25 s per rank)"));
  EXPECT_THAT(outcome.out, HasSubstr("No placement can take less than 3.00 s (heaviest object)"));
}

TEST(Info, ShowsMemoryIfCoefficientOfSharedBlocksIsSpecified) {
  const std::string blocks = own_path("lb/blocks");
  const Json json(run_plimsoll({"info", blocks, "--json", "--work", "1,1,0,0.1,0"}).out);
  EXPECT_EQ(json.number("/phases/0/work_max_s"), 9);  // rank 0: 6 s plus 3 bytes to rank 1
  EXPECT_EQ(json.number("/phases/0/max_memory_bytes"), 32);
  EXPECT_THAT(run_plimsoll({"info", blocks, "--work", "1,1,0,0"}).out, HasSubstr("max memory"));
  EXPECT_THAT(run_plimsoll({"info", blocks, "--work", "1,1,0"}).out, Not(HasSubstr("max memory")));
}

TEST(Info, PrintsJson) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Json json(run_plimsoll({"info", folder / "data", "--json", "--work", "1,0.01,0.5"}).out);
  EXPECT_EQ(json.integer("/ranks"), 2);
  ASSERT_EQ(json.size("/phases"), 2U);
  EXPECT_EQ(json.integer("/phases/1/phase"), 1);
  EXPECT_EQ(json.integer("/phases/1/objects"), 3);
  EXPECT_EQ(json.integer("/phases/1/migratable_objects"), 2);
  EXPECT_EQ(json.integer("/phases/1/edges"), 1);
  EXPECT_EQ(json.number("/phases/1/max_load_s"), 4.5);
  EXPECT_EQ(json.number("/phases/1/imbalance"), 1);
  EXPECT_EQ(json.number("/phases/1/lower_bound_s"), 3);
  EXPECT_EQ(json.text("/phases/1/lower_bound_cause"), "heaviest object");
  EXPECT_EQ(json.number("/phases/1/off_rank_bytes"), 0);
  EXPECT_EQ(json.number("/phases/1/work_sum_s"), 5.5);  // the edge stays on its rank; both ranks add gamma
  EXPECT_EQ(json.number("/phases/1/work_max_s"), 5);
  EXPECT_EQ(json.integer("/heaviest_objects/0/object"), 1);
  EXPECT_EQ(json.number("/heaviest_objects/0/load_s"), 3);
}

TEST(Info, ShowsLoadBalancingOfTheRun) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "plain");
  const Json none(run_plimsoll({"info", folder / "plain", "--json"}).out);
  EXPECT_EQ(none.integer("/load_balancing/phases"), 0);
  EXPECT_EQ(none.size("/load_balancing/strategies"), 0U);
  EXPECT_THAT(run_plimsoll({"info", folder / "plain"}).out, Not(HasSubstr("load balancing")));

  write_file(folder / "data.0.json", R"({"phases":[
    {"id":0,"user_defined":{"lb_name":"RefineLB","lb_time":0.5,"migration_count":1,"migration_time":2},
     "tasks":[{"entity":{"home":0,"id":1,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":1}]},
    {"id":1,"tasks":[]}],"type":"LBDatafile"})");
  EXPECT_THAT(run_plimsoll({"info", folder / "data.0.json"}).out,
              HasSubstr("\nload balancing: RefineLB after 1 of 2 phases, 1 migration after 1\n\n"));
  const Json json(run_plimsoll({"info", folder / "data.0.json", "--json"}).out);
  EXPECT_EQ(json.text("/load_balancing/strategies/0"), "RefineLB");
  EXPECT_EQ(json.integer("/load_balancing/migrations"), 1);
  EXPECT_EQ(json.number("/load_balancing/decision_s"), 0.5);
  EXPECT_EQ(json.number("/load_balancing/migration_s"), 2);
}

TEST(Info, PrintsInferredCosts) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "plain");
  EXPECT_EQ(Json(run_plimsoll({"info", folder / "plain", "--json"}).out).size("/inferred_costs/costs"), 0U);
  EXPECT_THAT(run_plimsoll({"info", folder / "plain"}).out, Not(HasSubstr("Inferred costs")));

  write_file(folder / "data.0.json", R"({"phases":[
    {"id":0,"user_defined":{"inferred_time":3.0,"inferred_loads":{"costs":[
      {"feature":"cells","cost":2e-6,"error":3e-9},{"feature":"\u001b[2J","cost":0.5,"error":0.25}],
      "remarks":["feature \"cells\" is 1 for all objects: its cost is a time per object"]}},
     "tasks":[{"entity":{"home":0,"id":1,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":1}]}],
    "type":"LBDatafile"})");
  const std::string text = run_plimsoll({"info", folder / "data.0.json"}).out;
  EXPECT_THAT(text, HasSubstr("\nInferred costs per feature\n"));
  EXPECT_THAT(text, HasSubstr("2.00 us         3.00 ns"));
  EXPECT_THAT(text, HasSubstr("?[2J"));
  EXPECT_THAT(text, HasSubstr("feature \"cells\" is 1 for all objects: its cost is a time per object\n"));
  const Json json(run_plimsoll({"info", folder / "data.0.json", "--json"}).out);
  EXPECT_EQ(json.text("/inferred_costs/costs/0/feature"), "cells");
  EXPECT_EQ(json.number("/inferred_costs/costs/1/error_s"), 0.25);
  EXPECT_EQ(json.size("/inferred_costs/remarks"), 1U);
}

// The loads are 4.5 s and 0 s per rank; 3 s, 1 s and 0.5 s per object.
TEST(Info, DescribesDistributionsOfLoads) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string text = run_plimsoll({"info", folder / "data"}).out;
  EXPECT_THAT(text, HasSubstr("\nLoads in phase 0, which loses the most time\n"));
  EXPECT_THAT(text, HasSubstr("\nmedian                    2.25 s   1.00 s\n"));
  EXPECT_THAT(text, HasSubstr("\nimbalance (max/mean - 1)  1.0000   1.0000\n"));
  const Json json(run_plimsoll({"info", folder / "data", "--json"}).out);
  EXPECT_EQ(json.integer("/phases/0/rank_loads/count"), 2);
  EXPECT_EQ(json.integer("/phases/0/rank_loads/nonzero_count"), 1);
  EXPECT_EQ(json.number("/phases/0/rank_loads/std_deviation_s"), 2.25);
  EXPECT_EQ(json.number("/phases/0/rank_loads/variance_s2"), 5.0625);
  EXPECT_EQ(json.number("/phases/0/object_loads/lower_quartile_s"), 0.75);
  EXPECT_EQ(json.number("/phases/0/object_loads/upper_quartile_s"), 2);
  EXPECT_EQ(json.number("/phases/0/object_loads/sum_s"), 4.5);
  EXPECT_EQ(json.number("/phases/0/object_loads/min_s"), 0.5);
}

TEST(Info, ShowsHyphenForStatisticsBeyondRangeOfNumbers) {
  const TemporaryFolder folder;
  const auto write_loads = [&](const char* first, const char* second) {
    const auto task = [](const char* id, const char* load) {
      return std::string(R"({"entity":{"home":0,"id":)") + id +
             R"(,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":)" + load + "}";
    };
    write_file(folder / "data.0.json",
               R"({"metadata":{"rank":0,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[)" +
                   task("3", first) + "," + task("262147", second) + "]}]}");
    return run_plimsoll({"info", folder / "data.0.json"}).out;
  };
  for (const auto& text : {write_loads("1e-300", "3e-300"), write_loads("1e300", "3e300")}) {
    EXPECT_THAT(text, ::testing::ContainsRegex("\nskewness +[^ ]+ +-\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nexcess kurtosis +[^ ]+ +-\n"));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
    EXPECT_THAT(text, Not(HasSubstr("inf")));
  }
  EXPECT_THAT(run_plimsoll({"info", folder / "data.0.json", "--json"}).out, HasSubstr("\"skewness\":null"));
}

// The moments were computed independently, with exact sums. LBAF prints the skewness m3/m2^1.5 and the
// kurtosis m4/m2^2; vt's values contain the additional factors ((N-1)/N)^1.5 and ((N-1)/N)^2, and 3 is
// subtracted.
TEST(Info, MatchesIndependentStatisticsOfRealData) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const Json json(run_plimsoll({"info", shared_path("data/lb/challenging_toy_fewer_tasks"), "--json"}).out);
  EXPECT_EQ(json.number("/phases/0/rank_loads/variance_s2"), 719222.68359375);
  EXPECT_NEAR(json.number("/phases/0/rank_loads/std_deviation_s"), 848.0699756469097, 1e-9);
  EXPECT_NEAR(json.number("/phases/0/rank_loads/skewness"), 0.7543421353157406 * std::pow(15.0 / 16, 1.5),
              1e-12);
  EXPECT_NEAR(json.number("/phases/0/rank_loads/excess_kurtosis"),
              2.590300203976823 * std::pow(15.0 / 16, 2) - 3, 1e-12);
  EXPECT_EQ(json.number("/phases/0/rank_loads/lower_quartile_s"), 215.25);
  EXPECT_EQ(json.number("/phases/0/rank_loads/median_s"), 806.5);
  EXPECT_EQ(json.number("/phases/0/rank_loads/upper_quartile_s"), 1440.25);
  EXPECT_EQ(json.integer("/phases/0/object_loads/count"), 274);
  EXPECT_NEAR(json.number("/phases/0/object_loads/mean_s"), 58.51459854014598, 1e-12);
  EXPECT_NEAR(json.number("/phases/0/object_loads/variance_s2"), 14034.950516809635, 1e-8);
  EXPECT_NEAR(json.number("/phases/0/object_loads/skewness"), 3.780498349628909, 1e-12);
  EXPECT_NEAR(json.number("/phases/0/object_loads/excess_kurtosis"), 16.844164758100497, 1e-11);
  EXPECT_EQ(json.number("/phases/0/object_loads/upper_quartile_s"), 56.25);
}

TEST(Info, RejectsInvalidWorkCoefficients) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  for (const std::string coefficients : {"-1,0,0", "1,nan,0", "1,0,inf"}) {
    const Outcome outcome = run_plimsoll({"info", folder / "data", "--work=" + coefficients});
    EXPECT_EQ(outcome.status, 2) << coefficients;
    EXPECT_THAT(outcome.err, HasSubstr("for --work"));
  }
}

TEST(Info, SelectsPhases) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Json json(run_plimsoll({"info", folder / "data", "--json", "--phases", "1-3"}).out);
  ASSERT_EQ(json.size("/phases"), 1U);
  EXPECT_EQ(json.integer("/phases/0/phase"), 1);
  const Outcome none = run_plimsoll({"info", folder / "data", "--phases", "7"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no phase in 7 has data"));
}

// Phase 2 is identical to phase 1, which is not selected.
TEST(Info, SelectsIdenticalPhases) {
  const std::string data = own_path("lb/phases");
  const Json both(run_plimsoll({"info", data, "--json", "--phases", "1,2"}).out);
  const Json one(run_plimsoll({"info", data, "--json", "--phases", "0,2"}).out);
  ASSERT_EQ(one.size("/phases"), 2U);
  EXPECT_EQ(one.integer("/phases/1/phase"), 2);
  EXPECT_EQ(one.number("/phases/1/max_load_s"), both.number("/phases/0/max_load_s"));
  EXPECT_NE(one.number("/phases/1/max_load_s"), one.number("/phases/0/max_load_s"));
  EXPECT_EQ(Json(run_plimsoll({"info", data, "--json", "--phases", "2"}).out).size("/phases"), 1U);
}

TEST(Info, AcceptsDirectoryStemPatternOrFiles) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string of_folder = run_plimsoll({"info", folder / "data"}).out;
  EXPECT_EQ(run_plimsoll({"info", folder / "data/data"}).out, of_folder);
  EXPECT_EQ(run_plimsoll({"info", folder / "data/data.%p.json"}).out, of_folder);
  EXPECT_EQ(run_plimsoll({"info", folder / "data/data.1.json", folder / "data/data.0.json"}).out, of_folder);
}

TEST(Info, RejectsFilesOfTwoDataSets) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  std::filesystem::rename(folder / "data/data.1.json", folder / "data/other.1.json");
  const Outcome outcome = run_plimsoll({"info", folder / "data/data.0.json", folder / "data/other.1.json"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("the files belong to two data sets: \"data.0.json\" and \"other.1.json\""));
}

TEST(Info, SkipsPhasesMissingOnSomeRanks) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  write_file(folder / "data/data.1.json",
             R"({"metadata":{"rank":1,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[]}]})");
  const Outcome outcome = run_plimsoll({"info", folder / "data"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, StartsWith("2 ranks, 1 phase,"));
  EXPECT_THAT(outcome.err, HasSubstr("some ranks have no data for 1 phase: 1"));
}

// LBAF computes these values for its own examples.
TEST(Info, ShowsRealDataSets) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const auto imbalance = [](const std::string& below) {
    const Outcome outcome = run_plimsoll({"info", shared_path("data/lb/" + below), "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json(outcome.out).number("/phases/0/imbalance");
  };
  EXPECT_NEAR(imbalance("synthetic-blocks/synthetic-dataset-blocks"), 1.0, 1e-9);
  EXPECT_NEAR(imbalance("user-defined-memory-toy-problem/toy_mem"), 1.17143, 1e-5);
  EXPECT_NEAR(imbalance("challenging_toy_fewer_tasks"), 1.91698, 1e-5);
  EXPECT_NEAR(imbalance("challenging_toy_hundreds_tasks"), 1.7468, 1e-4);
  const std::string vt = shared_path("data/lb/nolb-8color-16nodes-11firstphases");
  EXPECT_THAT(run_plimsoll({"info", vt}).out, HasSubstr("4.9467"));
  const std::string blocks = shared_path("data/lb/synthetic-blocks/synthetic-dataset-blocks");
  const Json json(run_plimsoll({"info", blocks, "--json", "--work", "1,1,0,0.1,0"}).out);
  EXPECT_EQ(json.number("/phases/0/work_max_s"), 8.5);
  EXPECT_EQ(json.number("/phases/0/max_memory_bytes"), 18);
}

TEST(Info, PrintsSameTextForAnyNumberOfThreads) {
  for (const std::string& folder :
       own_and_real({"lb/generated"}, {"data/lb/nolb-8color-16nodes-11firstphases"})) {
    const Outcome one = run_plimsoll({"info", folder, "--threads", "1"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(run_plimsoll({"info", folder, "--threads", "5"}).out, one.out) << folder;
  }
}

}  // namespace
}  // namespace plimsoll::testing
