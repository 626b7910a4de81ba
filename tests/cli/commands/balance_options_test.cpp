#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/support/files.hpp>

#include "cli/json.hpp"
#include "cli/program.hpp"
#include "common/shared_data.hpp"
#include "common/vt_offline_lb.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string measured_task(int id, double time_s, const std::string& cpu_time) {
  return R"({"attributes":)" + cpu_time + R"(,"entity":{"collection_id":7,"home":0,"id":)" +
         std::to_string(id) + R"(,"migratable":true,"type":"object"},"node":0,"resource":"cpu","time":)" +
         std::to_string(time_s) + "}";
}

/// Wall-clock loads are 5 s and 1 s, because another program disturbed rank 0; CPU loads are 1 s each.
void write_disturbed_run(const std::string& folder, const std::string& last = R"({"cpu_time":1.0})") {
  std::filesystem::create_directories(folder);
  const auto write = [&](int rank, const std::string& tasks) {
    write_file(folder + "/data." + std::to_string(rank) + ".json",
               R"({"metadata":{"rank":)" + std::to_string(rank) +
                   R"(,"type":"LBDatafile"},"phases":[{"id":0,"tasks":[)" + tasks + "]}]}");
  };
  write(0, measured_task(7, 2, R"({"cpu_time":0.5})") + "," + measured_task(11, 3, R"({"cpu_time":0.5})"));
  write(1, measured_task(15, 1, last));
}

/// Writes two objects on each of two ranks. They have opposite loads in two subphases, and 1 s outside of
/// subphases.
void write_opposite_subphases(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto task = [](int id, int first, int second) {
    return fmt::format(
        R"({{"entity":{{"home":0,"id":{},"migratable":true,"type":"object"}},"node":0,"resource":"cpu","time":5.0,)"
        R"("subphases":[{{"id":0,"time":{}.0}},{{"id":1,"time":{}.0}}]}})",
        id, first, second);
  };
  for (const int rank : {0, 1}) {
    const int first = rank == 0 ? 3 : 1;
    write_file(
        fmt::format("{}/data.{}.json", folder, rank),
        fmt::format(
            R"({{"metadata":{{"rank":{},"type":"LBDatafile"}},"phases":[{{"id":0,"tasks":[{},{}]}}]}})", rank,
            task(8 * rank + 3, first, 4 - first), task(8 * rank + 7, first, 4 - first)));
  }
}

TEST(SubphasesOption, SelectsTheTimeOfThePhase) {
  const TemporaryFolder folder;
  const std::string data = folder / "data";
  write_opposite_subphases(data);
  EXPECT_THAT(
      run_plimsoll({"info", data}).out,
      HasSubstr("Phase 0 takes 14.0 s if the ranks synchronise after each of 2 subphases, and 10.0 s if they "
                "do not; these results assume that they do not (use --subphases synchronised).\n"
                "Of its load, 20.0 % belongs to no subphase and counts as one more subphase.\n"
                "The imbalance is 0.0000 (max 10.0 s"));
  const Outcome info = run_plimsoll({"info", data, "--subphases", "synchronised"});
  EXPECT_THAT(info.out, HasSubstr("these results assume that they do.\n"));
  EXPECT_THAT(info.out, HasSubstr("The imbalance is 0.4000 (time 14.0 s, mean 10.0 s per rank)."));
  const Json json(run_plimsoll({"info", data, "--json"}).out);
  EXPECT_EQ(json.integer("/phases/0/subphases"), 2);
  EXPECT_EQ(json.number("/phases/0/synchronised_time_s"), 14);
  EXPECT_EQ(json.number("/phases/0/max_load_s"), 10);

  const Outcome balance =
      run_plimsoll({"balance", data, "--strategy", "RefineLB", "--subphases", "synchronised"});
  EXPECT_THAT(balance.out,
              HasSubstr("The ranks synchronise after each of 2 subphases: the phase takes the sum of"));
  EXPECT_THAT(balance.out, ::testing::ContainsRegex("time of phase +14.0 s +10.0 s"));
  const Outcome work = run_plimsoll(
      {"balance", data, "--strategy", "RefineLB", "--subphases", "synchronised", "--work", "2,0,1"});
  EXPECT_THAT(work.out, ::testing::ContainsRegex("max work +29.0 s +21.0 s"));
  EXPECT_THAT(
      run_plimsoll({"balance", data, "--strategy", "HierarchicalLB", "--subphases", "synchronised"}).out,
      HasSubstr("The loads of whole phases were balanced, although the ranks synchronise"));
  const Json compare(run_plimsoll({"compare", data, "--strategies", "GreedyLB,NoLB", "--subphases",
                                   "synchronised", "--json"})
                         .out);
  EXPECT_EQ(compare.number("/strategies/0/max_load_s"), 10);
  EXPECT_EQ(compare.number("/strategies/1/max_load_s"), 14);
}

TEST(SubphasesOption, HasNoEffectWithoutSubphases) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  EXPECT_THAT(run_plimsoll({"info", folder / "data"}).out, Not(HasSubstr("subphase")));
  EXPECT_THAT(
      run_plimsoll({"balance", folder / "data", "--strategy", "NoLB", "--subphases", "synchronised"}).out,
      HasSubstr("Phase 0 has no subphases: --subphases synchronised has no effect.\n"));
  EXPECT_THAT(run_plimsoll({"info", folder / "data", "--subphases", "both"}).err,
              HasSubstr("invalid value \"both\": expected free, synchronised"));
}

TEST(LoadFieldOption, ShowsAndBalancesCpuTime) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  EXPECT_NEAR(Json(run_plimsoll({"info", folder / "data", "--json"}).out).number("/phases/0/imbalance"),
              2.0 / 3, 1e-9);
  const Outcome info = run_plimsoll({"info", folder / "data", "--load", "cpu_time"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("The loads shown are the values of \"cpu_time\".\n2 ranks, 1 phase"));
  EXPECT_THAT(info.out, HasSubstr("imbalance is 0.0000 (max 1.00 s, mean 1.00 s per rank)"));
  EXPECT_EQ(Json(run_plimsoll({"info", folder / "data", "--ranks", "--load", "cpu_time", "--json"}).out)
                .number("/per_rank/0/load_s"),
            1);
  const Outcome compare =
      run_plimsoll({"compare", folder / "data", "--load", "cpu_time", "--strategies", "GreedyLB", "--json"});
  EXPECT_EQ(Json(compare.out).text("/load_field"), "cpu_time");
  EXPECT_EQ(Json(compare.out).number("/start/imbalance"), 0);
}

TEST(LoadFieldOption, KeepsRecordedTimesInOutput) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  const Outcome outcome = run_plimsoll({"balance", folder / "data", "--strategy", "RotateLB", "--load",
                                        "cpu_time", "-o", folder / "balanced", "--plain"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The loads shown are the values of \"cpu_time\"."));
  EXPECT_THAT(outcome.out, ::testing::ContainsRegex("max load +1.00 s +1.00 s"));
  const std::string moved = support::read_text_file(folder / "balanced/data.1.json");
  EXPECT_THAT(moved, HasSubstr(R"("attributes":{"cpu_time":0.5})"));
  EXPECT_THAT(moved, HasSubstr(R"("time":3)"));
}

TEST(LoadFieldOption, ReportsTasksWithoutField) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data", "{}");
  for (const std::string command : {"info", "balance", "compare"}) {
    std::vector<std::string> words = {command, folder / "data", "--load", "cpu_time"};
    if (command == "balance") words.insert(words.end(), {"--strategy", "GreedyLB"});
    const Outcome outcome = run_plimsoll(words);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("task 0 of rank 1 in phase 0: no number \"cpu_time\" in user_defined "
                                       "or attributes"));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(LoadFieldOption, AcceptsAttributesAsDimensions) {
  const TemporaryFolder folder;
  write_disturbed_run(folder / "data");
  const Outcome outcome =
      run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "--load-dimension", "cpu_time"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Outcome unknown =
      run_plimsoll({"balance", folder / "data", "--strategy", "GreedyLB", "--load-dimension", "cpu"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no task of phase 0 has \"cpu\" in its user_defined or attributes"));
}

}  // namespace

namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string bad_lb = PLIMSOLL_TEST_PLUGINS "/bad_lb.so";

TEST(Plugin, IsShownLikeBuiltInStrategy) {
  const Outcome outcome = run_plimsoll({"strategies", bad_lb});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("BadLB: fails in the way that its parameter selects\n"));
  EXPECT_THAT(outcome.out, HasSubstr("plimsoll balance DIR --strategy " + bad_lb + " --param defect=none\n"));
  EXPECT_EQ(Json(run_plimsoll({"strategies", bad_lb, "--json"}).out).text("/strategies/0/name"), "BadLB");
}

TEST(Plugin, BalancesDataSet) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const Outcome outcome =
      run_plimsoll({"balance", folder / "data", "--strategy", bad_lb, "--param", "defect=none", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json(outcome.out).text("/strategy"), "BadLB");
}

TEST(Plugin, ShowsRemarksInAllOutputs) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::vector<std::string> balance = {"balance", folder / "data", "--strategy", bad_lb};
  const std::vector<std::string> compare = {"compare", folder / "data", "--strategies", bad_lb};
  const auto as_json = [](std::vector<std::string> command) {
    command.emplace_back("--json");
    return Json(run_plimsoll(command).out);
  };
  EXPECT_THAT(run_plimsoll(balance).out, HasSubstr("\nThree steps were necessary.\n"));
  EXPECT_THAT(run_plimsoll(compare).out, HasSubstr(bad_lb + ": Three steps were necessary.\n"));
  EXPECT_EQ(as_json(balance).number("/remarks/steps"), 3);
  EXPECT_EQ(as_json(compare).number("/strategies/0/remarks/steps"), 3);
}

TEST(Plugin, FailsWithoutStoppingComparison) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const std::string plugins = bad_lb + "," + bad_lb + "(defect=work throws exception)";
  const Outcome outcome = run_plimsoll({"compare", folder / "data", "--strategies", "NoLB," + plugins});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("*  " + bad_lb + " "));
  EXPECT_THAT(outcome.out, HasSubstr("(defect=work throws exception) failed: "));
  EXPECT_THAT(outcome.out, HasSubstr("work() of this plug-in threw \"cannot continue\""));
}

TEST(Plugin, ReportsFailureAndSetsExitCode) {
  const TemporaryFolder folder;
  write_small_dataset(folder / "data");
  const auto expect = [&](const std::string& plugin, const std::string& defect, int status,
                          const std::string& text) {
    std::vector<std::string> command = {"balance", folder / "data", "--strategy", plugin,
                                        "-o",      folder / "out"};
    if (!defect.empty()) command.insert(command.end(), {"--param", "defect=" + defect});
    const Outcome outcome = run_plimsoll(command);
    EXPECT_EQ(outcome.status, status) << plugin << " " << defect;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(run_plimsoll({"info", folder / "out"}).status, 3) << "the command wrote a data set";
  };
  const auto plugin = [](const std::string& name) { return PLIMSOLL_TEST_PLUGINS "/" + name + ".so"; };
  expect("./libNone.so", "", 3, "./libNone.so: cannot open this plug-in");
  expect(plugin("no_entry_point"), "", 1, "no_entry_point.so: not a plug-in");
  expect(plugin("other_version"), "", 1, "interface version 99");
  expect(plugin("info_throws_exception"), "", 1, "cannot describe it");
  expect(bad_lb, "make throws exception", 1, "cannot continue");
  expect(bad_lb, "work throws exception", 1, "work() of this plug-in threw \"cannot continue\"");
  expect(bad_lb, "work throws anything", 1, "not derived from std::exception");
  expect(bad_lb, "work throws usage error", 2, "invalid setting");
  expect(bad_lb, "sentinel", 1, "which is not migratable");
  expect(bad_lb, "beyond", 1, "LDStats has only 2");
}

}  // namespace

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the ID that vt gives to element `sequence` of the elements created on rank `home`.
constexpr std::uint64_t vt_id(std::uint64_t home, std::uint64_t sequence) {
  return sequence << 18 | home << 2 | 3;
}

/// Run on three ranks, and the placement that a strategy computes for its last phase.
struct PlannedRun {
  std::string name;
  std::string strategy;
  std::int64_t phase;
  Locations placement;
};

/// The load balancer of the first run migrated objects after phase 0, and RotateLB moves each object from its
/// new rank to the next rank. Rank 2 of the second run has no migratable object; no placement of the loads of
/// 8, 5, 4 and 3 s takes less than 8 s, and the object of 3 s can stay on rank 1.
const std::vector<PlannedRun> planned_runs = {
    {"balanced-run",
     "RotateLB",
     2,
     {{vt_id(0, 1), 1},
      {vt_id(0, 2), 0},
      {vt_id(0, 3), 2},
      {vt_id(1, 1), 2},
      {vt_id(1, 2), 0},
      {vt_id(2, 1), 0}}},
    {"empty-rank", "GreedyLB", 1, {{vt_id(0, 1), 0}, {vt_id(0, 2), 1}, {vt_id(1, 1), 2}, {vt_id(1, 2), 1}}}};

TEST(OfflineLb, WritesPlansThatVtFollows) {
  for (const PlannedRun& run : planned_runs) {
    const TemporaryFolder folder;
    const std::string recorded = own_path("plans/" + run.name + "/recorded");
    const std::string expected = own_path("plans/" + run.name + "/plan");
    const Outcome outcome =
        run_plimsoll({"balance", recorded, "--strategy", run.strategy, "--offline-lb", "--migrate-after",
                      std::to_string(run.phase), "-o", folder / "plan"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("the recorded run ended with phase"));
    for (const char* file : {"/data.0.json", "/data.1.json", "/data.2.json"})
      EXPECT_EQ(file_content(folder / "plan" + file), file_content(expected + file)) << run.name << file;
    EXPECT_EQ(run_with_offline_lb(folder / "plan", 3, recorded_locations(recorded, 3), run.phase),
              run.placement)
        << run.name;
    EXPECT_EQ(run_plimsoll({"validate", folder / "plan"}).status, 0);
  }
}

TEST(BalanceOptions, SimulatesMoreRanksThanTheDataHave) {
  const TemporaryFolder folder;
  const std::string data = folder / "data";
  run_plimsoll({"generate", "--ranks", "4", "--objects-per-rank", "8", "--loads", "u4", "-o", data});
  const Outcome outcome =
      run_plimsoll({"balance", data, "--strategy", "TemperedLB", "--simulate-ranks", "1002"});
  EXPECT_THAT(outcome.out, HasSubstr("phase 0: 1,002 ranks"));
  EXPECT_THAT(outcome.out, HasSubstr("bytes per rank"));
  EXPECT_THAT(run_plimsoll({"compare", data, "--strategies", "TemperedLB", "--simulate-ranks", "8"}).out,
              HasSubstr("8 ranks"));
  const Outcome fewer = run_plimsoll({"balance", data, "--strategy", "NoLB", "--simulate-ranks", "3"});
  EXPECT_EQ(fewer.status, 2);
  EXPECT_THAT(fewer.err, HasSubstr("invalid number of simulated ranks 3: the data have 4; use 4 or more"));
  const Outcome written = run_plimsoll(
      {"balance", data, "--strategy", "NoLB", "--simulate-ranks", "8", "-o", folder / "balanced"});
  EXPECT_EQ(written.status, 2);
  EXPECT_THAT(written.err, HasSubstr("cannot be combined"));
}

TEST(OfflineLb, PrintsCommandThatFollowsPlan) {
  const TemporaryFolder folder;
  const std::vector<std::string> command = {"balance",    own_path("plans/empty-rank/recorded"),
                                            "--strategy", "GreedyLB",
                                            "--force",    "--offline-lb",
                                            "-o",         folder / "my plan"};
  EXPECT_THAT(run_plimsoll(command).out,
              EndsWith("next: mpirun -n 3 ./PROGRAM --vt_lb --vt_lb_name=OfflineLB --vt_lb_data_in "
                       "'--vt_lb_data_dir_in=" +
                       (folder / "my plan") + "'\n"));
  EXPECT_FALSE(std::filesystem::exists(folder / "my plan/data.0.json.br"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const Json json(run_plimsoll(as_json).out);
  EXPECT_EQ(json.size("/vt_arguments"), 4u);
  EXPECT_EQ(json.text("/vt_arguments/1"), "--vt_lb_name=OfflineLB");
  EXPECT_EQ(json.text("/vt_arguments/3"), "--vt_lb_data_dir_in=" + (folder / "my plan"));
}

TEST(OfflineLb, TakesEffectEarlyByDefault) {
  const TemporaryFolder folder;
  const std::string recorded = own_path("plans/balanced-run/recorded");
  const std::vector<std::string> command = {"balance",      recorded, "--strategy",   "RotateLB",
                                            "--offline-lb", "-o",     folder / "plan"};
  const Outcome outcome = run_plimsoll(command);
  EXPECT_THAT(outcome.out, HasSubstr("vt migrates 5 objects at the end of phase 0.\nnext: "));
  EXPECT_THAT(outcome.out, HasSubstr("With this placement, phase 1 has max load"));
  EXPECT_EQ(run_with_offline_lb(folder / "plan", 3, recorded_locations(recorded, 3), 0),
            planned_runs[0].placement);

  // Commands do not count the placeholder, and a plan is a placement.
  EXPECT_THAT(run_plimsoll({"info", folder / "plan"}).out, HasSubstr("3 ranks, 2 phases"));
  const Outcome again = run_plimsoll(
      {"balance", recorded, "--strategy", "PrescribedLB", "--param", "data=" + (folder / "plan")});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("PrescribedLB moved 6 objects"));
}

}  // namespace
}  // namespace plimsoll::testing
