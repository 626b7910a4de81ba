#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include <plimsoll/pelayout/pes_file.hpp>

#include "common/throws_error.hpp"

using namespace plimsoll::pelayout;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

Component component(const std::string& name, std::vector<Sample> samples, std::int64_t block_size = 1) {
  Component result;
  result.name = name;
  result.block_size = block_size;
  result.samples = std::move(samples);
  return result;
}

Sample sample(std::int64_t tasks, std::int64_t threads, double cost) {
  Sample result;
  result.tasks = tasks;
  result.threads = threads;
  result.cost = cost;
  return result;
}

Place place(const std::string& name, std::int64_t tasks, std::int64_t root, std::int64_t threads = 1,
            bool count_threads = false) {
  Place result;
  result.component = name;
  result.tasks = tasks;
  result.threads = threads;
  result.processors = count_threads ? tasks * threads : tasks;
  result.root = root;
  return result;
}

/// Returns the documented solution for example.json: 1,024 tasks in blocks of 8.
Solution documented() {
  Solution solution;
  solution.time = 23.943355;
  solution.processors = 1024;
  solution.places = {place("ICE", 872, 0), place("LND", 120, 872), place("ATM", 992, 0),
                     place("OCN", 32, 992)};
  return solution;
}

TEST(LayoutPes, MatchesNumbersOfCimeTool) {
  const PesEntry entry = to_pes({}, documented(), "best");
  EXPECT_EQ(entry.pesize, "best");
  EXPECT_EQ(entry.grid, "any");
  EXPECT_EQ(entry.comment, "components: 23.9434 s per model day on 1024 tasks");
  EXPECT_EQ(entry.components.at("ATM"), (ComponentPes{992, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("OCN"), (ComponentPes{32, 1, 992, {}}));
  EXPECT_EQ(entry.components.at("LND"), (ComponentPes{120, 1, 872, {}}));
  EXPECT_EQ(entry.components.at("ICE"), (ComponentPes{872, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("GLC"), (ComponentPes{1, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("WAV"), (ComponentPes{1, 1, 0, {}}));
  EXPECT_EQ(entry.components.size(), 8U);
}

TEST(LayoutPes, OmitsCimeComponentsForOtherModels) {
  Solution solution;
  solution.processors = 480;
  solution.places = {place("IFS", 384, 0), place("NEMO", 96, 384)};
  Problem problem;
  problem.components = {component("IFS", {sample(384, 1, 3)}), component("NEMO", {sample(96, 1, 2)}),
                        component("RNF", {sample(1, 1, 0.5)})};
  const PesEntry entry = to_pes(problem, solution);
  EXPECT_EQ(entry.components.size(), 3U);
  EXPECT_EQ(entry.components.at("NEMO"), (ComponentPes{96, 1, 384, {}}));
  EXPECT_EQ(entry.components.at("RNF"), (ComponentPes{1, 1, 0, {}}));
}

TEST(LayoutPes, PlacesCouplerWithAtmosphereAndRiversWithLand) {
  const PesEntry entry = to_pes({}, documented());
  EXPECT_EQ(entry.components.at("CPL"), (ComponentPes{992, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("ROF"), (ComponentPes{120, 1, 872, {}}));
}

TEST(LayoutPes, LimitsTasksToMeasuredMaximum) {
  Problem problem;
  problem.components = {
      component("CPL", {sample(64, 1, 8), sample(512, 1, 2)}),
      component("ROF", {sample(512, 1, 0.5)}, 16),
      component("WAV", {sample(100, 1, 3)}, 8),
      component("GLC", {sample(512, 1, 0)}),
      component("IAC", {sample(4, 1, 7)}),
      component("ESP", {}),
  };
  const PesEntry entry = to_pes(problem, documented());
  EXPECT_EQ(entry.components.at("CPL"), (ComponentPes{512, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("ROF"),
            (ComponentPes{112, 1, 872, {}}));  // 120 tasks, rounded down to blocks of 16
  EXPECT_EQ(entry.components.at("WAV"), (ComponentPes{96, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("GLC"), (ComponentPes{1, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("IAC"), (ComponentPes{4, 1, 0, {}}));
  EXPECT_EQ(entry.components.at("ESP"), (ComponentPes{1, 1, 0, {}}));
  EXPECT_THAT(left_out(problem, documented()), ElementsAre("CPL", "ROF", "WAV", "IAC"));
  EXPECT_THAT(left_out({}, documented()), IsEmpty());
}

TEST(LayoutPes, ContainsInstancesOfEnsembles) {
  Problem problem;
  problem.components = {component("ATM", {sample(992, 1, 8)}, 4), component("WAV", {sample(12, 1, 0)}, 3)};
  problem.components[0].instances = 4;
  problem.components[1].instances = 3;
  const PesEntry entry = to_pes(problem, documented());
  EXPECT_THAT(entry.variables,
              ElementsAre(::testing::Pair("NINST_ATM", "4"), ::testing::Pair("NINST_WAV", "3")));
  EXPECT_EQ(entry.components.at("WAV").tasks, 3) << "one task per instance";
  EXPECT_THAT(to_xml({entry}), ::testing::HasSubstr("<NINST_ATM>4</NINST_ATM>"));
  EXPECT_EQ(parse_pes_file(to_xml({entry}), "pes.xml").entries.at(0).variables, entry.variables);
}

TEST(LayoutPes, AcceptsLayoutWithoutAtmosphere) {
  Solution solution;
  solution.places = {place("OCN", 8, 0), place("ICE", 24, 8)};
  const PesEntry entry = to_pes({}, solution);
  EXPECT_EQ(entry.components.at("CPL"), (ComponentPes{24, 1, 8, {}}));
  EXPECT_EQ(entry.components.at("ROF"), (ComponentPes{24, 1, 8, {}}));
}

TEST(LayoutPes, DistributesTasksRegardlessOfThreadCounts) {
  Solution solution;
  solution.places = {place("ATM", 96, 0, 2), place("OCN", 32, 96, 4)};
  const PesEntry entry = to_pes({}, solution);
  EXPECT_EQ(entry.components.at("ATM"), (ComponentPes{96, 2, 0, {}}));
  EXPECT_EQ(entry.components.at("OCN"), (ComponentPes{32, 4, 96, {}}));
  EXPECT_EQ(entry.components.at("CPL"), (ComponentPes{96, 2, 0, {}}));
}

TEST(LayoutPes, UsesStrideForThreads) {
  // ATM has 32 tasks with 2 threads, and OCN has 8 tasks with 4 threads. One rank has 2 processors, so OCN
  // starts at rank 32 and uses every second rank. LND was measured with 8 threads and up to 16 tasks.
  Solution solution;
  solution.processors = 96;
  solution.places = {place("ATM", 32, 0, 2, true), place("OCN", 8, 64, 4, true)};
  Problem problem;
  problem.unit = CostUnit::total_seconds;
  problem.components = {component("LND", {sample(16, 2, 9), sample(16, 8, 3)}),
                        component("GLC", {sample(8, 1, 0)})};
  const PesEntry entry = to_pes(problem, solution);
  EXPECT_EQ(entry.components.at("ATM"), (ComponentPes{32, 2, 0, {}}));
  EXPECT_EQ(entry.components.at("OCN"), (ComponentPes{8, 4, 32, 2}));
  EXPECT_EQ(entry.components.at("CPL"), (ComponentPes{32, 2, 0, {}}));
  EXPECT_EQ(entry.components.at("LND"), (ComponentPes{8, 8, 0, 4}));
  EXPECT_EQ(entry.components.at("ROF"), (ComponentPes{32, 2, 0, {}}));  // LND is not in the layout
  EXPECT_EQ(entry.components.at("GLC"), (ComponentPes{1, 2, 0, {}}));
  EXPECT_THAT(entry.comment, ::testing::HasSubstr(" s on 96 processors"));
}

TEST(LayoutPes, SetsNodesOfMachine) {
  Solution solution;
  solution.time = 8;
  solution.processors = 192;
  solution.nodes = {.tasks_per_node = 64};
  solution.places = {place("ATM", 100, 0, 2), place("OCN", 64, 128)};
  const PesEntry entry = to_pes({}, solution);
  EXPECT_EQ(entry.variables, (std::map<std::string, std::string>{{"MAX_MPITASKS_PER_NODE", "64"},
                                                                 {"MAX_TASKS_PER_NODE", "128"}}));
  EXPECT_THAT(entry.comment, ::testing::HasSubstr("components: 8 s per model day on 192 tasks, 3 nodes"));
  solution.nodes.reset();
  EXPECT_THAT(to_pes({}, solution).variables, IsEmpty());
}

// As in UsesStrideForThreads, on nodes of 32 processors, i.e. 16 ranks with 2 processors each. OCN occupies
// the ranks 32, 34, ..., 46 of the third node. The minimum cost of WAV is with 3 threads, which do not divide
// a node.
TEST(LayoutPes, KeepsStridesWithinNodes) {
  Solution solution;
  solution.processors = 96;
  solution.nodes = {.tasks_per_node = 32};
  solution.places = {place("ATM", 32, 0, 2, true), place("OCN", 8, 64, 4, true)};
  Problem problem;
  problem.components = {component("WAV", {sample(8, 2, 9), sample(8, 3, 3)})};
  const PesEntry entry = to_pes(problem, solution);
  EXPECT_EQ(entry.components.at("ATM"), (ComponentPes{32, 2, 0, {}}));
  EXPECT_EQ(entry.components.at("OCN"), (ComponentPes{8, 4, 32, 2}));
  EXPECT_EQ(entry.components.at("WAV"), (ComponentPes{8, 2, 0, {}}));
  EXPECT_EQ(entry.variables.at("MAX_MPITASKS_PER_NODE"), "16");
  EXPECT_EQ(entry.variables.at("MAX_TASKS_PER_NODE"), "64");
}

// CIME reserves for each rank the threads of the component with the most threads: 3 for WAV would triple the
// nodes of all components.
TEST(LayoutPes, GivesOmittedComponentsNoMoreThreadsThanOthers) {
  Solution solution;
  solution.processors = 64;
  solution.nodes = {.tasks_per_node = 64};
  solution.places = {place("ATM", 64, 0)};
  Problem problem;
  problem.components = {component("WAV", {sample(8, 3, 3)}),
                        component("GLC", {sample(8, 1, 5), sample(8, 2, 3)})};
  const PesEntry entry = to_pes(problem, solution);
  EXPECT_EQ(entry.components.at("WAV"), (ComponentPes{8, 1, 0, {}})) << "8 tasks were measured";
  EXPECT_EQ(entry.components.at("GLC"), (ComponentPes{8, 1, 0, {}}));
  EXPECT_EQ(entry.variables.at("MAX_MPITASKS_PER_NODE"), "64");
  EXPECT_EQ(entry.variables.at("MAX_TASKS_PER_NODE"), "64");
}

TEST(LayoutPes, RoundTripsThroughXml) {
  const PesEntry entry = to_pes({}, documented(), "best");
  const PesFile file = parse_pes_file(to_xml({entry}), "pes.xml");
  EXPECT_TRUE(file.warnings.empty());
  PesQuery query;
  query.pesize = "best";
  EXPECT_EQ(select_pes(file, query).components, entry.components);
}

}  // namespace

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

/// Returns the entry of a PE file with this content.
PesEntry entry_with(const std::string& content) {
  return parse_pes_file(R"(<config_pes version="2.0"><grid name="any"><mach name="any">
    <pes compset="any" pesize="any">)" +
                            content + "</pes></mach></grid></config_pes>",
                        "pes.xml")
      .entries.front();
}

// Counts of the case NorESM3 on 128 tasks per node: the atmosphere runs on 15 nodes, the ocean on 2 others.
constexpr const char* noresm = R"(
    <MAX_MPITASKS_PER_NODE>128</MAX_MPITASKS_PER_NODE>
    <ntasks> <ntasks_atm>-15</ntasks_atm> <ntasks_lnd>-9</ntasks_lnd> <ntasks_ocn>-2</ntasks_ocn>
             <ntasks_esp>1</ntasks_esp> </ntasks>
    <rootpe> <rootpe_atm>0</rootpe_atm> <rootpe_lnd>-6</rootpe_lnd> <rootpe_ocn>-15</rootpe_ocn> </rootpe>
    <pstrid> <pstrid_ocn>2</pstrid_ocn> </pstrid>)";

TEST(PesNodes, BecomeTasks) {
  const PesEntry tasks = in_tasks(entry_with(noresm));
  EXPECT_EQ(tasks.components.at("ATM"), (ComponentPes{1920, {}, 0, {}}));
  EXPECT_EQ(tasks.components.at("LND"), (ComponentPes{1152, {}, 768, {}}));
  EXPECT_EQ(tasks.components.at("OCN"), (ComponentPes{256, {}, 1920, 2}));
  EXPECT_EQ(tasks.components.at("ESP"), (ComponentPes{1, {}, {}, {}}));
  EXPECT_EQ(tasks.variables.at("MAX_MPITASKS_PER_NODE"), "128");
}

TEST(PesNodes, AreWrittenForWholeNodes) {
  const PesEntry entry = entry_with(noresm);
  EXPECT_EQ(in_nodes(in_tasks(entry)).components, entry.components);
  const PesEntry partial = entry_with(R"(<MAX_MPITASKS_PER_NODE>64</MAX_MPITASKS_PER_NODE>
    <ntasks> <ntasks_atm>96</ntasks_atm> <ntasks_ocn>64</ntasks_ocn> </ntasks>
    <rootpe> <rootpe_atm>0</rootpe_atm> <rootpe_ocn>128</rootpe_ocn> </rootpe>)");
  EXPECT_EQ(in_nodes(partial).components.at("ATM"), (ComponentPes{96, {}, 0, {}}));
  EXPECT_EQ(in_nodes(partial).components.at("OCN"), (ComponentPes{-1, {}, -2, {}}));
  const PesFile read = parse_pes_file(to_xml({in_nodes(partial)}), "pes.xml");
  EXPECT_EQ(in_tasks(read.entries.front()).components, partial.components);
}

TEST(PesNodes, RequireTheTasksPerNode) {
  const PesEntry nodes = entry_with("<ntasks><ntasks_atm>-4</ntasks_atm></ntasks>");
  EXPECT_ERROR(in_tasks(nodes, "pes.xml"), bad_input,
               "pes.xml:2: numbers of nodes without MAX_MPITASKS_PER_NODE; set MAX_MPITASKS_PER_NODE");
  const PesEntry tasks = entry_with("<ntasks><ntasks_atm>4</ntasks_atm></ntasks>");
  EXPECT_EQ(in_tasks(tasks).components, tasks.components);
  EXPECT_ERROR(in_nodes(tasks), bad_input, "without MAX_MPITASKS_PER_NODE");
}

TEST(PesNodes, MustNotOverflow) {
  for (const std::string size : {"0", "x", "$MAX_TASKS_PER_NODE"})
    EXPECT_ERROR(in_tasks(entry_with("<MAX_MPITASKS_PER_NODE>" + size +
                                     "</MAX_MPITASKS_PER_NODE><ntasks><ntasks_atm>-4</ntasks_atm></ntasks>")),
                 bad_input, "invalid value \"" + size + "\" of MAX_MPITASKS_PER_NODE");
  EXPECT_ERROR(in_tasks(entry_with("<MAX_MPITASKS_PER_NODE>128</MAX_MPITASKS_PER_NODE>"
                                   "<ntasks><ntasks_atm>-2000000000</ntasks_atm></ntasks>")),
               bad_input, "too many tasks of ATM: 2000000000 nodes of 128");
}

}  // namespace
}  // namespace plimsoll::pelayout
