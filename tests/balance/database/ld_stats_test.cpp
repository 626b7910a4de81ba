#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
namespace {

LDStats three_procs() {
  // Processor 0 has speed 2, background 1, a non-migratable object of 2 and an object of 4. Processor 1 has
  // an object of 6. Processor 2 is unavailable and has an object of 8.
  LDStats stats = testing::stats_of(3, {2, 4, 6, 8}, {0, 0, 1, 2});
  stats.obj_data[0].migratable = false;
  stats.procs[0].pe_speed = 2;
  stats.procs[0].bg_walltime = 1;
  stats.procs[2].available = false;
  return stats;
}

TEST(ProcArray, DividesLoadsBySpeedAndCountsNonMigratableObjectsAsOverhead) {
  const ProcArray procs(three_procs());
  EXPECT_DOUBLE_EQ(procs.procs[0].overhead, 1 + 2. / 2);
  EXPECT_DOUBLE_EQ(procs.procs[0].total_load, 1 + 6. / 2);
  EXPECT_DOUBLE_EQ(procs.procs[0].pe_speed, 2);
  EXPECT_DOUBLE_EQ(procs.procs[1].total_load, 6);
  EXPECT_FALSE(procs.procs[2].available);
}

TEST(ProcArray, WeightsAverageBySpeedOfAvailableProcessors) {
  const ProcArray procs(three_procs());
  // The total work is 2 * 2 (overhead) plus 4 + 6 + 8 (migratable objects); the speeds sum to 2 + 1.
  EXPECT_DOUBLE_EQ(procs.average_load(), 22. / 3);
  EXPECT_DOUBLE_EQ(procs.migratable_load(), 18);
  EXPECT_EQ(procs.n_available(), 2);
  EXPECT_TRUE(procs.must_evacuate());
  EXPECT_DOUBLE_EQ(procs.max_load(), 6);
}

TEST(ProcArray, ResetsTotalLoadToOverhead) {
  ProcArray procs(three_procs());
  procs.reset_total_load();
  EXPECT_DOUBLE_EQ(procs.procs[0].total_load, 2);
  EXPECT_DOUBLE_EQ(procs.procs[1].total_load, 0);
}

TEST(ProcArray, RejectsInvalidInput) {
  const auto expect_refused = [](auto&& spoil, const char* text) {
    LDStats stats = three_procs();
    spoil(stats);
    EXPECT_ERROR(ProcArray{stats}, bad_input, text);
  };
  expect_refused([](LDStats& stats) { stats.from_proc[1] = 3; }, "object 1 is on processor 3");
  expect_refused([](LDStats& stats) { stats.from_proc[1] = -1; }, "object 1 is on processor -1");
  expect_refused([](LDStats& stats) { stats.from_proc.pop_back(); }, "3 entries in from_proc");
  expect_refused([](LDStats& stats) { stats.procs[1].pe_speed = 0; }, "invalid speed 0 of processor 1");
  expect_refused([](LDStats& stats) { stats.procs[1].bg_walltime = -1; },
                 "invalid background load -1 s of processor 1");
  expect_refused([](LDStats& stats) { stats.obj_data[2].walltime = -1; }, "invalid load -1 s of object 2");
  expect_refused(
      [](LDStats& stats) { stats.obj_data[2].walltime = std::numeric_limits<LBRealType>::quiet_NaN(); },
      "invalid load nan s of object 2");
  expect_refused(
      [](LDStats& stats) { stats.obj_data[2].walltime = std::numeric_limits<LBRealType>::infinity(); },
      "invalid load inf s of object 2");
  expect_refused([](LDStats& stats) { stats.procs[0].rank_alpha = -1; },
                 "invalid processor 0: rank_alpha -1");
  expect_refused([](LDStats& stats) { stats.procs[0].rank_working_bytes = -1; },
                 "-1 bytes of working memory");
}

TEST(ProcArray, RejectsColumnsOfWrongLength) {
  const auto with_columns = [] {
    LDStats stats = three_procs();
    stats.numbers = {1, 2, 3, 4};
    stats.n_axes = 2;
    stats.positions.resize(8);
    stats.memory.resize(4);
    stats.blocks = {{.bytes = 5, .home = 2}};
    stats.memory[3].block = 0;
    stats.more_loads = {{"gpu_s", {1, 2, 3, 4}}};
    return stats;
  };
  EXPECT_NO_THROW(ProcArray{with_columns()});
  const auto expect_refused = [&](const auto& spoil, const char* text) {
    LDStats stats = with_columns();
    spoil(stats);
    EXPECT_ERROR(ProcArray{stats}, bad_input, text);
  };
  expect_refused([](LDStats& stats) { stats.numbers.pop_back(); }, "3 entries in numbers");
  expect_refused([](LDStats& stats) { stats.positions.pop_back(); }, "7 entries in positions");
  expect_refused([](LDStats& stats) { stats.memory.pop_back(); }, "3 entries in memory");
  expect_refused([](LDStats& stats) { stats.memory[1].working_bytes = std::nan(""); },
                 "invalid memory size nan bytes of object 1");
  expect_refused([](LDStats& stats) { stats.memory[3].block = 1; },
                 "object 3 uses shared block 1, but LDStats has only 1 shared blocks");
  expect_refused([](LDStats& stats) { stats.blocks[0].home = 3; },
                 "home processor 3; bytes must be >= 0, and the home processor below 3");
  expect_refused([](LDStats& stats) { stats.blocks[0].bytes = -1; }, "invalid shared block 0: -1 bytes");
  expect_refused([](LDStats& stats) { stats.more_loads[0].of_object.pop_back(); }, "3 entries in gpu_s");
  expect_refused([](LDStats& stats) { stats.more_loads[0].of_object[0] = -1; },
                 "invalid value -1 for load \"gpu_s\" of object 0");
  expect_refused([](LDStats& stats) { stats.comm_categories.push_back(0); },
                 "0 edges in comm_data but 1 entries in comm_categories");
}

TEST(LDStats, CountsObjectsAndProcessors) {
  LDStats stats = three_procs();
  stats.comm_data.push_back({CommEnd::object(1), CommEnd::processor(2), 8, 1});
  EXPECT_EQ(stats.count(), 3);
  EXPECT_EQ(stats.n_objs(), 4);
  EXPECT_EQ(stats.n_comm(), 1);
  EXPECT_EQ(stats.n_migrateobjs(), 3);
  EXPECT_TRUE(stats.comm_data[0].sender.is_object());
  EXPECT_EQ(stats.comm_data[0].sender.index(), 1u);
  EXPECT_FALSE(stats.comm_data[0].receiver.is_object());
  EXPECT_EQ(stats.comm_data[0].receiver.index(), 2u);
  EXPECT_LE(sizeof(LDObjData), 16u);
  EXPECT_LE(sizeof(LDCommData), 24u);
}

}  // namespace

namespace {

using ::testing::ElementsAre;

LDStats triangle() {
  LDStats stats = testing::stats_of(2, {1, 2, 3}, {0, 0, 1});
  const auto say = [&](std::uint32_t from, std::uint32_t to, double bytes) {
    stats.comm_data.push_back({CommEnd::object(from), CommEnd::object(to), bytes, 1});
  };
  say(0, 1, 10);
  say(2, 1, 20);
  say(0, 2, 30);
  say(0, 0, 40);
  stats.comm_data.push_back({CommEnd::processor(1), CommEnd::object(1), 50, 1});
  return stats;
}

std::vector<std::pair<std::uint32_t, double>> listed(std::span<const ObjGraph::Edge> edges) {
  std::vector<std::pair<std::uint32_t, double>> result;
  for (const ObjGraph::Edge& edge : edges) result.emplace_back(edge.neighbor, edge.bytes);
  return result;
}

TEST(ObjGraph, ListsEdgesInBothDirections) {
  const LDStats stats = triangle();
  const ObjGraph graph(stats);
  using Pair = std::pair<std::uint32_t, double>;
  EXPECT_THAT(listed(graph.outgoing(0)), ElementsAre(Pair(1, 10), Pair(2, 30)));
  EXPECT_THAT(listed(graph.outgoing(1)), ElementsAre());
  EXPECT_THAT(listed(graph.outgoing(2)), ElementsAre(Pair(1, 20)));
  EXPECT_THAT(listed(graph.incoming(0)), ElementsAre());
  EXPECT_THAT(listed(graph.incoming(1)), ElementsAre(Pair(0, 10), Pair(2, 20)));
  EXPECT_THAT(listed(graph.incoming(2)), ElementsAre(Pair(0, 30)));
}

TEST(ObjGraph, IgnoresEdgesOnRequest) {
  const LDStats stats = triangle();
  EXPECT_TRUE(ObjGraph(stats, GraphEdges::ignore).outgoing(0).empty());
}

TEST(ObjGraph, DescribesObjects) {
  LDStats stats = triangle();
  stats.obj_data[1].migratable = false;
  const ObjGraph graph(stats);
  EXPECT_EQ(graph.n_vertices(), 3u);
  EXPECT_EQ(graph.compute_load(2), 3);
  EXPECT_EQ(graph.current_pe(2), 1);
  EXPECT_EQ(graph.new_pe(2), ObjGraph::no_pe);
  EXPECT_FALSE(graph.migratable(1));
}

TEST(ObjGraph, ConvertsPlacements) {
  LDStats stats = triangle();
  stats.to_proc.clear();
  ObjGraph graph(stats);
  graph.set_new_pe(0, 1);
  graph.convert_decisions(stats);
  EXPECT_THAT(stats.to_proc, ElementsAre(1, 0, 1));
}

TEST(ObjGraph, RejectsInvalidPlacements) {
  LDStats stats = triangle();
  stats.obj_data[1].migratable = false;
  stats.procs[0].available = false;
  const std::vector<std::int32_t> before = stats.to_proc;
  for (const auto& [object, pe, text] : std::vector<std::tuple<std::uint32_t, std::int32_t, const char*>>{
           {0, 2, "object 0 was migrated to processor 2, which does not exist"},
           {0, -2, "object 0 was migrated to processor -2, which does not exist"},
           {1, 1, "object 1 was migrated but is not migratable"},
           {2, 0, "object 2 was migrated to processor 0, which does not exist or is not available"}}) {
    ObjGraph graph(stats);
    graph.set_new_pe(object, pe);
    EXPECT_ERROR(graph.convert_decisions(stats), usage, text);
    EXPECT_EQ(stats.to_proc, before);
  }
}

TEST(ObjGraph, RejectsEdgesToUnknownObjects) {
  LDStats stats = triangle();
  stats.comm_data.push_back({CommEnd::object(0), CommEnd::object(3), 1, 1});
  EXPECT_ERROR(ObjGraph{stats}, bad_input, "refers to object 3, but LDStats has only 3 objects");
}

}  // namespace
}  // namespace plimsoll::balance
