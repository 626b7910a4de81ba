#include <gmock/gmock.h>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/error.hpp>

#include "balance/stats_factory.hpp"
#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {
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
