#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Solves a problem on two nodes of 2 tasks with GPUs and four nodes of 64 tasks. ICE takes 2 s/day on one of
/// the latter, and ATM then 10 s/day on 4 GPU tasks. OCN needs the other three nodes to be as fast.
class LayoutOnTwoKindsOfNodes : public LayoutSolve {
 protected:
  LayoutOnTwoKindsOfNodes() {
    write_file(problem_, R"({"ATM": {"ntasks": [2, 4], "cost": [20, 10]},
                             "ICE": {"ntasks": [64, 128], "cost": [2, 1.9]},
                             "OCN": {"ntasks": [64, 128, 192], "cost": [30, 15, 6]},
                             "layout": "(ICE ; ATM) | OCN", "unit": "seconds_per_day"})");
  }

  Outcome solve_on_kinds(const Words& more) const {
    return solve(Words{"--json_input", problem_, "--model", "linear"} + kinds_ + more);
  }

  const std::string problem_ = folder_ / "problem.json";
  const Words kinds_ = {"--partition", "gpu=2x2", "--partition", "cpu=4x64", "--on", "ATM=gpu"};
};

TEST_F(LayoutOnTwoKindsOfNodes, PlacesComponentsOnTheirKind) {
  const Outcome outcome = solve_on_kinds({});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(StartsWith("Best layout on 260 tasks (2 gpu and 4 cpu nodes): 12.01 s/model day"),
                    HasSubstr("COST_TOTAL = 12.000000\n"), HasSubstr("NTASKS_ATM = 4\n"),
                    HasSubstr("NTASKS_ICE = 64\n"), HasSubstr("NTASKS_OCN = 192\n"),
                    // 24 h x 2 nodes x 365 days x 12 s / 86400 s = 2.43 node hours.
                    HasSubstr("2.43 gpu node hours and 4.87 cpu node hours/simulated year"),
                    Not(HasSubstr("core hours"))));
  EXPECT_THAT(solve_on_kinds({"--ascii"}).out, HasSubstr("nodes\n"));
  for (const std::string solver : {"cbc", "both"}) {
    const Outcome other = solve_on_kinds({"--solver", solver});
    if (other.status == 2) continue;  // built without CBC
    EXPECT_THAT(other.out, HasSubstr("COST_TOTAL = 12.000000\n"));
  }
}

TEST_F(LayoutOnTwoKindsOfNodes, ReportsKindsInJson) {
  const Json json(solve_on_kinds({"--json"}).out);
  EXPECT_EQ(json.integer("/total_tasks"), 260);
  EXPECT_EQ(json.text("/partitions/0/name"), "gpu");
  EXPECT_EQ(json.integer("/partitions/0/nodes"), 2);
  EXPECT_EQ(json.integer("/partitions/1/used"), 4);
  EXPECT_EQ(json.text("/places/0/component"), "ICE");
  EXPECT_EQ(json.text("/places/0/partition"), "cpu");
  EXPECT_EQ(json.integer("/places/0/root"), 4);
  EXPECT_EQ(json.integer("/places/1/root"), 0);
  EXPECT_EQ(json.integer("/places/2/root"), 68);
  EXPECT_EQ(json.integer("/places/2/nodes"), 3);
  EXPECT_THAT(solve({"--json_input", problem_, "--total_tasks", "256", "--json"}).out,
              AllOf(HasSubstr("\"partitions\":[]"), HasSubstr("\"partition\":null")));
}

TEST_F(LayoutOnTwoKindsOfNodes, KeepsKindsInFileOfProblem) {
  const std::string kept = folder_ / "kept.json";
  EXPECT_EQ(solve_on_kinds({"--json_output", kept}).status, 0);
  const Outcome again = solve({"--json_input", kept, "--model", "linear"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, StartsWith("Best layout on 260 tasks (2 gpu and 4 cpu nodes): 12.01 s/model day"));
  const Outcome other = solve({"--json_input", kept, "--total_tasks", "256"});
  EXPECT_THAT(other.out, StartsWith("Best layout on 256 tasks: ")) << "options take precedence";
  EXPECT_THAT(other.err, HasSubstr("\"partition\" is ignored: --total_tasks specifies nodes of one kind"));
}

TEST_F(LayoutOnTwoKindsOfNodes, ChangesKindsOfFile) {
  const std::string kept = folder_ / "kept.json";
  EXPECT_EQ(solve_on_kinds({"--json_output", kept}).status, 0);
  const Outcome moved =
      solve({"--json_input", kept, "--on", "ATM=cpu", "--on", "ICE=cpu", "--on", "OCN=gpu", "--json"});
  EXPECT_EQ(moved.status, 0) << moved.err;
  EXPECT_EQ(Json(moved.out).text("/places/1/partition"), "cpu");
  const Outcome one_kind = solve({"--json_input", kept, "--total_tasks", "256", "--on", "ATM=cpu"});
  EXPECT_THAT(one_kind.err,
              HasSubstr("--on cannot be combined with --total_tasks, which specifies nodes of one "
                        "kind; remove --total_tasks to use the kinds of nodes in " +
                        kept));
  const Outcome no_total = solve({"--json_input", kept, "--tasks_per_node", "64"});
  EXPECT_THAT(no_total.err,
              HasSubstr("missing --total_tasks: --tasks_per_node replaces the kinds of nodes in " + kept +
                        "; remove --tasks_per_node, or use --total_tasks N"));
}

TEST_F(LayoutOnTwoKindsOfNodes, WritesRanksToPeFile) {
  const std::string file = folder_ / "pes.xml";
  EXPECT_EQ(solve_on_kinds({"--pe_output", file}).status, 0);
  const pelayout::PesEntry entry = pelayout::read_pes_file(file).entries.front();
  EXPECT_EQ(entry.components.at("ATM"), (pelayout::ComponentPes{4, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("ICE"), (pelayout::ComponentPes{64, 1, 4, {}}));
  EXPECT_EQ(entry.components.at("OCN"), (pelayout::ComponentPes{192, 1, 68, {}}));
  EXPECT_FALSE(entry.variables.contains("MAX_MPITASKS_PER_NODE"));
  EXPECT_THAT(entry.comment,
              HasSubstr("2 gpu nodes: ranks 0 to 3, 2 per node; 4 cpu nodes: ranks 4 to 259, 64 per "
                        "node"));
}

TEST_F(LayoutOnTwoKindsOfNodes, LimitsTasksOfComponents) {
  const Outcome outcome = solve_on_kinds({"--limit", "OCN=100", "--limit", "atm=2"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 2\n"), HasSubstr("NTASKS_OCN = 100\n")));
  const std::string kept = folder_ / "kept.json";
  EXPECT_EQ(
      solve({"--json_input", problem_, "--total_tasks", "256", "--limit", "OCN=10", "--json_output", kept})
          .status,
      0);
  EXPECT_THAT(solve({"--json_input", kept}).out, HasSubstr("NTASKS_OCN = 10\n"));
}

TEST_F(LayoutOnTwoKindsOfNodes, RejectsInvalidKinds) {
  struct {
    Words arguments;
    int status;
    std::string what;
  } const wrong[] = {
      {{"--partition", "x=1x1"}, 2, "3 --partition: expected two kinds of nodes"},
      {{"--total_tasks", "64"}, 2, "--total_tasks cannot be combined with --partition"},
      {{"--exact_sum"}, 2, "--exact_sum cannot be combined with --partition"},
      {{"--pe_nodes"}, 2, "--pe_nodes cannot be combined with --partition"},
      {{"--on", "atm=cpu"}, 2, "duplicate --on of ATM"},
      {{"--on", "OCN=tpu"}, 2, "unknown kind of nodes \"tpu\" of OCN"},
      {{"--on", "OCN=cpu"}, 2, "missing kind of nodes of ICE"},
      {{"--on", "WAV=cpu"}, 2, "kind of nodes of unknown component \"WAV\"; available: ATM, ICE, OCN"},
      {{"--on", "OCN"}, 2, "invalid value \"OCN\" for --on: expected NAME=VALUE"},
      {{"--limit", "OCN=0"}, 2, "invalid value \"OCN=0\" for --limit: counts must be between 1 and"},
      {{"--limit", "WAV=8"}, 2, "limit of unknown component \"WAV\""},
      {{"--layout", "ICE | ATM | OCN | X"}, 1, "missing timings for X"},
      {{"--layout", "ATM | OCN", "--blocksize_OCN", "300"},
       1,
       "does not fit on the 256 processors of \"cpu\""},
  };
  for (const auto& one : wrong) {
    const Outcome outcome = solve_on_kinds(one.arguments);
    EXPECT_EQ(outcome.status, one.status) << ::testing::PrintToString(one.arguments) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.what));
  }
  for (const std::string value : {"gpu", "gpu=84", "gpu=x4", "gpu=84x0", "=8x4", "gpu=9999999x9999999"}) {
    const Outcome outcome = solve({"--json_input", problem_, "--partition", value, "--partition", "cpu=1x1"});
    EXPECT_EQ(outcome.status, 2) << value;
  }
  EXPECT_THAT(solve({"--json_input", problem_, "--total_tasks", "8", "--on", "ATM=gpu"}).err,
              HasSubstr("--on requires --partition"));
}

}  // namespace
}  // namespace plimsoll::testing
