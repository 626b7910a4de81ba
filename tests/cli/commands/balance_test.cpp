#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Balance, ComparesPlacementsAndWritesFilesOnlyOnRequest) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("GreedyLB on phase 1: 2 ranks, 3 objects\n"));
  EXPECT_THAT(outcome.out, HasSubstr("max load                     4.50 s  3.00 s\n"));
  EXPECT_THAT(outcome.out, HasSubstr("No placement can take less than 3.00 s (heaviest object)."));
  EXPECT_THAT(outcome.out, HasSubstr("GreedyLB moved 1 object with 3.00 s of load (66.7 % of the total)"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("Wrote the result to")));
}

TEST(Balance, PrintsJson) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Json json(run_plimsoll({"balance", folder / "data", "--strategy", "RandomLB", "--param", "seed=7",
                                "--phase", "0", "--json"})
                      .out);
  EXPECT_EQ(json.text("/strategy"), "RandomLB");
  EXPECT_EQ(json.integer("/parameters/seed"), 7);
  EXPECT_EQ(json.integer("/phase"), 0);
  EXPECT_EQ(json.integer("/ranks"), 2);
  EXPECT_EQ(json.integer("/objects"), 3);
  EXPECT_EQ(json.number("/lower_bound_s"), 3);
  EXPECT_EQ(json.number("/before/max_load_s"), 4.5);
  EXPECT_EQ(json.number("/before/imbalance"), 1);
  EXPECT_EQ(json.number("/before/off_rank_bytes"), 0);
  EXPECT_TRUE(json.has("/after/off_rank_messages"));
  EXPECT_TRUE(json.has("/moved_objects"));
  EXPECT_TRUE(json.has("/strategy_time_s"));
  EXPECT_TRUE(json.has("/output"));
}

TEST(Balance, UsesWorkModelOnRequest) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> balance = {"balance", folder / "data", "--strategy", "GreedyLB"};
  EXPECT_THAT(run_plimsoll(balance).out, Not(HasSubstr("max work")));
  std::vector<std::string> weigh = balance;
  weigh.insert(weigh.end(), {"--work", "1,0.1,0"});  // the rank with the heavy object sends 100 bytes
  const std::string text = run_plimsoll(weigh).out;
  EXPECT_THAT(text, ::testing::ContainsRegex("max work +4.50 s +13.0 s"));
  EXPECT_THAT(text, HasSubstr("No placement can have a maximum work below 3.00 s.\n"));
  EXPECT_THAT(text, Not(HasSubstr("max load")));
  weigh.emplace_back("--json");
  const Json json(run_plimsoll(weigh).out);
  EXPECT_EQ(json.number("/before/work_max_s"), 4.5);
  EXPECT_EQ(json.number("/after/work_max_s"), 13);
}

TEST(Balance, ShowsMemoryBeforeAndAfterWithoutWorkModel) {
  // Rank 0 uses two blocks of 16 bytes, rank 1 one of 32 and rank 2 one of 8 (tests/data/README.md).
  const std::vector<std::string> balance = {"balance", own_path("lb/blocks"), "--strategy", "GreedyLB"};
  const std::string text = run_plimsoll(balance).out;
  EXPECT_THAT(text, HasSubstr("max memory per rank            32 B    64 B\n"));
  EXPECT_THAT(text, Not(HasSubstr("max memory per node")));
  auto by_node = balance;
  by_node.insert(by_node.end(), {"--ranks-per-node", "2"});
  EXPECT_THAT(run_plimsoll(by_node).out, HasSubstr("max memory per node            64 B    88 B\n"));
  by_node.emplace_back("--json");
  const Json json(run_plimsoll(by_node).out);
  EXPECT_EQ(json.number("/before/max_memory_bytes"), 32);
  EXPECT_EQ(json.number("/before/max_node_memory_bytes"), 64);
  EXPECT_EQ(json.number("/after/max_memory_bytes"), 64);
  EXPECT_EQ(json.number("/after/max_node_memory_bytes"), 88);
}

TEST(Balance, OmitsUnknownMemory) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> balance = {"balance", folder / "data", "--strategy", "OptimalLB"};
  EXPECT_THAT(run_plimsoll(balance).out, Not(HasSubstr("max memory")));
  auto as_json = balance;
  as_json.emplace_back("--json");
  EXPECT_THAT(run_plimsoll(as_json).out,
              HasSubstr(R"("max_memory_bytes":null,"max_node_memory_bytes":null)"));
}

TEST(Balance, RejectsLimitsOnUnknownSizes) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  for (const std::string name : {"max_moved_bytes", "max_memory_bytes", "max_node_memory_bytes"}) {
    const Outcome outcome =
        run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "--param", name + "=1e9"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("cannot apply " + name +
                                       ": no object has a size in the data; remove "
                                       "the limit, or use data whose tasks have "));
  }
}

TEST(Balance, WritesValidDataSetWithSameLoads) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome = run_plimsoll(
      {"balance", folder / "data", "--strategy", "GreedyLB", "--phase", "0", "-o", folder / "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Wrote the result to " + (folder / "out")));
  EXPECT_TRUE(std::filesystem::exists(folder / "out/data.1.json.br"));
  EXPECT_EQ(run_plimsoll({"validate", folder / "out"}).out,
            "valid: 0 errors, 0 warnings in 2 files (4 phase records, 6 tasks, 2 edges)\n");
  const Json info(run_plimsoll({"info", folder / "out", "--json"}).out);
  EXPECT_EQ(info.number("/phases/0/max_load_s"), 3);
  EXPECT_EQ(info.number("/phases/0/mean_load_s"), 2.25);
  EXPECT_EQ(info.number("/phases/0/off_rank_bytes"), 100);
  EXPECT_EQ(info.number("/phases/1/max_load_s"), 4.5);  // the other phase is unchanged
}

TEST(Balance, KeepsHomeAndIdAndUpdatesNode) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "-o", folder / "out", "--plain"});
  EXPECT_THAT(file_content(folder / "out/data.1.json"),
              HasSubstr(R"({"entity":{"collection_id":7,"home":0,"id":1,"index":[0],"migratable":true,)"
                        R"("type":"object"},"node":1,"resource":"cpu","time":3.0})"));
}

TEST(Balance, OverwritesFilesOnlyIfForced) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> command = {"balance", folder / "data", "--strategy", "NoLB",
                                            "-o",      folder / "out"};
  EXPECT_EQ(run_plimsoll(command).status, 0);
  const Outcome refused = run_plimsoll(command);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("already exists and is not empty; use another name, or --force"));
  auto forced = command;
  forced.insert(forced.end(), {"--force", "--plain"});
  EXPECT_EQ(run_plimsoll(forced).status, 0);
  EXPECT_FALSE(
      std::filesystem::exists(folder / "out/data.0.json.br"));  // otherwise each rank would have two files
  EXPECT_EQ(run_plimsoll({"validate", folder / "out"}).status, 0);
}

TEST(Balance, WarnsAboutInvalidLaterPhase) {
  const TemporaryFolder folder;
  folder.write("data.0.json", R"({"type": "LBDatafile", "phases": [
      {"id": 0, "tasks": [{"entity": {"home": 0, "id": 3, "migratable": true, "type": "object"},
                           "node": 0, "resource": "cpu", "time": 1.0}]},
      {"id": 1, "tasks": [{"entity": {"home": 0, "id": 3, "migratable": true, "type": "object"},
                           "node": 0, "resource": "cpu", "time": -1.0}]}]})");
  const Outcome outcome = run_plimsoll({"balance", folder.path(), "--strategy", "RefineLB", "--phase", "0"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("warning: invalid time -1"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("With this placement")));
}

TEST(Balance, ShowsLoadsOfLaterPhases) {
  const std::vector<std::string> command = {"balance", own_path("lb/generated"), "--strategy", "GreedyLB"};
  EXPECT_THAT(run_plimsoll(command).out, Not(HasSubstr("With this placement")));
  std::vector<std::string> first = command;
  first.insert(first.end(), {"--phase", "0"});
  const std::string text = run_plimsoll(first).out;
  EXPECT_THAT(text,
              ::testing::ContainsRegex("With this placement, phase 1 has max load [^ ]+ m?s and imbalance "
                                       "[0-9.]+ \\(recorded: [^ ]+ m?s and [0-9.]+\\); the 2 phases up "
                                       "to 2 take [^ ]+ m?s in total \\(recorded: [^ ]+ m?s\\)\\.\n"));
  first.emplace_back("--json");
  const Json json(run_plimsoll(first).out);
  const Json info(run_plimsoll({"info", own_path("lb/generated"), "--json"}).out);
  ASSERT_EQ(json.size("/later_phases"), 2u);
  EXPECT_EQ(json.integer("/later_phases/1/phase"), 2);
  EXPECT_EQ(json.number("/later_phases/1/recorded_max_load_s"), info.number("/phases/2/max_load_s"));
  EXPECT_EQ(json.number("/later_phases/1/recorded_imbalance"), info.number("/phases/2/imbalance"));
  EXPECT_LT(json.number("/later_phases/1/max_load_s"), json.number("/later_phases/1/recorded_max_load_s"));
  EXPECT_TRUE(json.has("/later_phases/1/mean_load_s"));
  EXPECT_TRUE(json.has("/later_phases/1/imbalance"));
  EXPECT_FALSE(json.has("/vt_arguments"));
}

TEST(Balance, PrintsBoundProvedByStrategy) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> command = {"balance", folder / "data", "--strategy", "OptimalLB"};
  EXPECT_THAT(run_plimsoll(command).out, HasSubstr("This placement is optimal: "));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const Json json(run_plimsoll(as_json).out);
  EXPECT_EQ(json.number("/remarks/proven_bound"), json.number("/after/max_load_s"));
}

/// Balances into valid files and returns the remaining imbalance.
double imbalance_after(const std::string& data, const std::string& strategy) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_plimsoll({"balance", data, "--strategy", strategy, "-o", folder / "out", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_plimsoll({"validate", folder / "out", "--schema-only"}).status, 0) << data;
  return Json(outcome.out).number("/after/imbalance");
}

TEST(Balance, BalancesTestDataSets) {
  EXPECT_EQ(imbalance_after(own_path("lb/blocks"), "GreedyLB"), 0);
  EXPECT_LT(imbalance_after(own_path("lb/generated"), "GreedyLB"), 0.4);
  EXPECT_LT(imbalance_after(own_path("lb/phases"), "RefineLB"), 0.05);
}

TEST(Balance, BalancesRealDataSets) {
  PLIMSOLL_NEED_SHARED("data/lb");
  const std::string folder = shared_path("data/lb/");
  EXPECT_LT(imbalance_after(folder + "synthetic-blocks/synthetic-dataset-blocks", "GreedyLB"), 0.26);
  EXPECT_LT(imbalance_after(folder + "challenging_toy_hundreds_tasks", "GreedyLB"), 0.01);
  EXPECT_LT(imbalance_after(folder + "nolb-8color-16nodes-11firstphases", "RefineLB"), 0.05);
}

}  // namespace
}  // namespace plimsoll::testing
