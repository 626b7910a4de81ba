#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <plimsoll/pelayout/pes_file.hpp>

#include "cli/commands/layout/solve.hpp"
#include "cli/json.hpp"

namespace plimsoll::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Solves a problem whose best layout on 3 nodes of 64 tasks is known: ATM takes 10 s/day on 2 nodes, and OCN
/// takes 8 s/day on one. If they share a node, OCN slows down to speed up ATM.
class LayoutOnNodes : public LayoutSolve {
 protected:
  LayoutOnNodes() {
    write_file(problem_, R"({"ATM": {"ntasks": [32, 64, 128], "cost": [40, 20, 10]},
                             "OCN": {"ntasks": [32, 64, 128], "cost": [12, 8, 6]},
                             "layout": "ATM | OCN", "unit": "seconds_per_day"})");
  }

  Outcome solve_on(const Words& arguments) const {
    return solve(Words{"--json_input", problem_, "--model", "linear"} + arguments);
  }

  const std::string problem_ = folder_ / "problem.json";
  const Words on_3_nodes_ = {"--total_nodes", "3", "--tasks_per_node", "64"};
};

TEST_F(LayoutOnNodes, BeginsComponentsOnNewNodes) {
  const Outcome outcome = solve_on(on_3_nodes_);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 24 h x 192 cores x 365 days x 10 s / 86400 s = 194.7 core hours.
  EXPECT_THAT(outcome.out, AllOf(StartsWith("Best layout on 192 tasks (3 nodes): 10.00 s/model day"),
                                 HasSubstr("195 core hours/simulated year")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("node borders"))) << "a chart in a pipe";
  EXPECT_THAT(solve_on(on_3_nodes_ + Words{"--ascii"}).out, HasSubstr("node borders"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("NTASKS_ATM = 128\n"), HasSubstr("NTASKS_OCN = 64\n"),
                                 HasSubstr("NTASKS_TOTAL = 192\n")));
  EXPECT_EQ(solve_on({"--total_tasks", "192", "--tasks-per-node", "64"}).out, outcome.out);
  for (const std::string solver : {"cbc", "both"}) {
    const Outcome other = solve_on(on_3_nodes_ + Words{"--solver", solver});
    if (other.status == 2) continue;  // built without CBC
    EXPECT_THAT(other.out, HasSubstr("COST_TOTAL = 10.000000\n"));
  }
}

TEST_F(LayoutOnNodes, SharesNodesOnRequest) {
  const Json whole(solve_on(on_3_nodes_ + Words{"--json"}).out);
  const Json shared(solve_on(on_3_nodes_ + Words{"--node_sharing", "yes", "--json"}).out);
  EXPECT_LT(shared.number("/time"), whole.number("/time"));
  EXPECT_TRUE(shared.truth("/nodes/shared"));
  EXPECT_EQ(shared.integer("/places/0/nodes") + shared.integer("/places/1/nodes"), 4);
  EXPECT_EQ(shared.integer("/places/1/root"), shared.integer("/places/0/tasks"));
  // Part of a node is charged as a whole node.
  const Json partial(
      solve_on({"--total_tasks", "190", "--tasks_per_node", "64", "--node_sharing", "yes", "--json"}).out);
  EXPECT_NEAR(partial.number("/core_hours_per_simulated_year"),
              24 * 192 * 365 * partial.number("/time") / 86400, 1e-6);
}

TEST_F(LayoutOnNodes, ReportsNodesInJson) {
  const Json json(solve_on(on_3_nodes_ + Words{"--json"}).out);
  EXPECT_EQ(json.integer("/total_tasks"), 192);
  EXPECT_EQ(json.integer("/nodes/tasks_per_node"), 64);
  EXPECT_FALSE(json.truth("/nodes/shared"));
  EXPECT_EQ(json.integer("/nodes/total"), 3);
  EXPECT_EQ(json.integer("/nodes/used"), 3);
  EXPECT_EQ(json.integer("/places/0/nodes"), 2);
  EXPECT_EQ(json.integer("/places/1/nodes"), 1);
  EXPECT_EQ(json.integer("/places/1/root"), 128);
  const Outcome without = solve_on({"--total_tasks", "192", "--json"});
  EXPECT_THAT(without.out, AllOf(HasSubstr("\"nodes\":null"), Not(HasSubstr("tasks_per_node"))));
}

TEST_F(LayoutOnNodes, LeavesTasksOfNodesIdle) {
  // On nodes of 100 tasks, both components get one node. ATM takes 20 - 36 x 10 / 64 = 14.375 s/day.
  const Outcome outcome = solve_on({"--total_nodes", "2", "--tasks_per_node", "100", "--blocksize", "50"});
  EXPECT_THAT(outcome.out, HasSubstr("COST_ATM = 14.375000\n")) << outcome.err;
  const Outcome blocks = solve_on({"--total_nodes", "3", "--tasks_per_node", "100", "--blocksize", "64"});
  EXPECT_THAT(blocks.out, AllOf(HasSubstr("NTASKS_ATM = 192\n"), HasSubstr("NTASKS_OCN = 64\n")));
}

TEST_F(LayoutOnNodes, ComparesTotalsInNodes) {
  const Outcome outcome = solve_on({"--total_nodes", "1:4:1", "--tasks_per_node", "64"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("total  nodes"), HasSubstr("  192      3")));
  EXPECT_THAT(outcome.out, HasSubstr("No layout fits on 64 tasks."));
  const Json json(solve_on({"--total_nodes", "2,3", "--tasks_per_node", "64", "--json"}).out);
  EXPECT_EQ(json.integer("/sweep/points/0/nodes"), 2);
  EXPECT_EQ(json.integer("/sweep/points/1/nodes"), 3);
}

TEST_F(LayoutOnNodes, WritesNodesToPeFile) {
  const std::string tasks_file = folder_ / "tasks.xml";
  const std::string nodes_file = folder_ / "nodes.xml";
  EXPECT_EQ(solve_on(on_3_nodes_ + Words{"--pe_output", tasks_file}).status, 0);
  EXPECT_EQ(solve_on(on_3_nodes_ + Words{"--pe_output", nodes_file, "--pe_nodes"}).status, 0);
  const pelayout::PesEntry in_tasks = pelayout::read_pes_file(tasks_file).entries.front();
  EXPECT_EQ(in_tasks.variables.at("MAX_MPITASKS_PER_NODE"), "64");
  EXPECT_EQ(in_tasks.components.at("OCN"), (pelayout::ComponentPes{64, 1, 128, {}}));
  const pelayout::PesEntry in_nodes = pelayout::read_pes_file(nodes_file).entries.front();
  EXPECT_EQ(in_nodes.components.at("ATM"), (pelayout::ComponentPes{-2, 1, 0, {}}));
  EXPECT_EQ(in_nodes.components.at("OCN"), (pelayout::ComponentPes{-1, 1, -2, {}}));
  EXPECT_EQ(pelayout::in_tasks(in_nodes).components, in_tasks.components);
}

TEST_F(LayoutOnNodes, DrawsNodeBorders) {
  const std::string picture = folder_ / "layout.svg";
  EXPECT_EQ(solve_on(on_3_nodes_ + Words{"--timeline_svg", picture}).status, 0);
  EXPECT_THAT(file_content(picture), AllOf(HasSubstr("dotted: node borders"), HasSubstr("3 nodes of 64")));
}

TEST_F(LayoutOnNodes, KeepsNodesInProblemFile) {
  const std::string file = folder_ / "kept.json";
  EXPECT_EQ(solve_on(on_3_nodes_ + Words{"--json_output", file}).status, 0);
  EXPECT_THAT(solve({"--json_input", file}).out, StartsWith("Best layout on 192 tasks (3 nodes): 10.00"));
  EXPECT_THAT(solve({"--json_input", file, "--total_nodes", "6"}).out,
              StartsWith("Best layout on 384 tasks (6 nodes)"));
  EXPECT_THAT(solve({"--json_input", file, "--tasks_per_node", "32"}).out,
              StartsWith("Best layout on 192 tasks (6 nodes)"));
}

TEST_F(LayoutOnNodes, FindsTasksPerNodeOfCases) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64", "--tasks_per_node", "auto"};
  const Outcome from_header = solve(question);
  EXPECT_EQ(from_header.status, 0) << from_header.err;
  EXPECT_THAT(from_header.out, StartsWith("Keep your layout on 64 tasks (4 nodes)"));
  EXPECT_THAT(from_header.err, HasSubstr("16 tasks per node, from " + timing_ + "/timing_"));

  std::filesystem::create_directory(folder_ / "case");
  std::filesystem::copy(timing_, folder_ / "case/timing");
  write_file(folder_ / "case/env_mach_pes.xml",
             R"(<file><group><entry id="MAX_MPITASKS_PER_NODE" value="32"/></group></file>)");
  const Outcome from_case =
      solve({folder_ / "case/timing", "--total_tasks", "96", "--tasks_per_node", "auto"});
  EXPECT_THAT(from_case.out, StartsWith("Best layout on 96 tasks (3 nodes)")) << from_case.err;
  EXPECT_THAT(from_case.err, HasSubstr("32 tasks per node, from " + folder_ / "case/env_mach_pes.xml"));
}

TEST_F(LayoutOnNodes, UsesNodesOfTheRunsByDefault) {
  const Words question = {"--timing_dir", timing_, "--total_tasks", "64"};
  const Outcome by_default = solve(question);
  EXPECT_THAT(by_default.out, StartsWith("Keep your layout on 64 tasks (4 nodes)")) << by_default.err;
  EXPECT_THAT(by_default.err, HasSubstr("16 tasks per node, from " + timing_ + "/timing_"));
  EXPECT_EQ(by_default.out, solve(question + Words{"--tasks_per_node", "auto"}).out);
  EXPECT_EQ(by_default.out, solve({"--timing_dir", timing_, "--total_nodes", "4"}).out);

  const Outcome without = solve(question + Words{"--tasks_per_node", "none"});
  EXPECT_THAT(without.out, StartsWith("Keep your layout on 64 tasks: "));
  EXPECT_EQ(without.err, "");
  EXPECT_THAT(solve(question + Words{"--tasks_per_node", "8"}).out,
              StartsWith("Keep your layout on 64 tasks (8 nodes)"));
}

TEST_F(LayoutOnNodes, IgnoresNodesThatDoNotSuitTheTotal) {
  const Outcome outcome = solve({"--timing_dir", timing_, "--total_tasks", "65"});
  EXPECT_THAT(outcome.out, StartsWith("Keep your layout on 64 tasks: "));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("nodes of 16 tasks, from " + timing_),
                                 HasSubstr("are ignored: the total 65 is not a whole number of nodes")));
}

TEST_F(LayoutOnNodes, RejectsInvalidNodes) {
  struct {
    Words arguments;
    int status;
    std::string what;
  } const wrong[] = {
      {{"--total_tasks", "192", "--tasks_per_node", "0"}, 2, "invalid value \"0\" for --tasks_per_node"},
      {{"--total_tasks", "192", "--tasks_per_node", "many"},
       2,
       "must be between 1 and 1000000000, auto or none"},
      {{"--total_tasks", "192", "--tasks_per_node", "256"}, 2, "the total 192 is less than one node of 256"},
      {{"--total_tasks", "200", "--tasks_per_node", "64"}, 2, "use 192 (3 nodes) or 256 (4 nodes)"},
      {{"--total_tasks", "64:256:32", "--tasks_per_node", "64"}, 2, "the total 96 is not a whole number"},
      {{"--total_tasks", "192", "--tasks_per_node", "auto"},
       2,
       "no timing file of a run with one thread per task"},
      {{"--total_tasks", "192", "--node_sharing", "yes"}, 2, "--node_sharing: no env_mach_pes.xml and"},
      {{"--total_tasks", "192", "--pe_nodes"}, 2, "--pe_nodes: no env_mach_pes.xml and"},
      {{"--total_nodes", "3"}, 2, "--total_nodes: no env_mach_pes.xml and"},
      {{"--total_nodes", "3", "--tasks_per_node", "none"},
       2,
       "--total_nodes cannot be combined with --tasks_per_node none"},
      {{"--total_tasks", "192", "--total_nodes", "3", "--tasks_per_node", "64"}, 2, "cannot be combined"},
      {{"--total_nodes", "100000000", "--tasks_per_node", "64"}, 2, "too many tasks"},
      {{"--total_nodes", "0", "--tasks_per_node", "64"}, 2, "--total_nodes: "},
      {{"--total_tasks", "192", "--tasks_per_node", "64", "--node_sharing", "maybe"}, 2, "yes, no"},
      {{"--total_nodes", "1", "--tasks_per_node", "64"}, 1, "the minimum is 128 on 2 nodes"},
  };
  for (const auto& one : wrong) {
    const Outcome outcome = solve_on(one.arguments);
    EXPECT_EQ(outcome.status, one.status) << ::testing::PrintToString(one.arguments) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("plimsoll: error: "), HasSubstr(one.what)));
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace plimsoll::testing
