#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

void check(std::int64_t tasks_per_node, std::int64_t total, bool shared = false) {
  check_totals({.tasks_per_node = tasks_per_node, .shared = shared}, std::vector{total});
}

TEST(Nodes, CountsPartlyUsedNodes) {
  const Nodes nodes = {.tasks_per_node = 64};
  EXPECT_EQ(nodes.count(1), 1);
  EXPECT_EQ(nodes.count(64), 1);
  EXPECT_EQ(nodes.count(65), 2);
  EXPECT_EQ(nodes.round_up(65), 128);
  EXPECT_EQ(nodes.round_up(128), 128);
}

TEST(Nodes, AcceptTotalsOfWholeNodes) {
  EXPECT_NO_THROW(check(64, 64));
  EXPECT_NO_THROW(check(64, 1024));
  EXPECT_NO_THROW(check(64, 1000, true));
  EXPECT_NO_THROW(check(1, 7));
}

TEST(Nodes, SuggestNearestTotals) {
  EXPECT_ERROR(check(64, 1000), usage, "the total 1,000 is not a whole number of nodes of 64 tasks");
  EXPECT_ERROR(check(64, 1000), usage,
               "use 960 (15 nodes) or 1,024 (16 nodes), or share nodes (--node_sharing yes)");
  EXPECT_ERROR(check(64, 65), usage, "use 64 (1 node) or 128 (2 nodes)");
  EXPECT_ERROR(check_totals({.tasks_per_node = 64}, std::vector<std::int64_t>{128, 200}), usage, "200");
}

TEST(Nodes, RejectTotalsBelowOneNode) {
  for (const bool shared : {false, true})
    EXPECT_ERROR(check(64, 32, shared), usage,
                 "the total 32 is less than one node of 64 tasks; use a total of 64 or more");
}

TEST(Nodes, RejectNodesWithoutTasks) {
  EXPECT_ERROR(check(0, 32), usage, "invalid number of tasks per node 0: must be >= 1");
  EXPECT_ERROR(check(-4, 32), usage, "invalid number of tasks per node -4");
}

}  // namespace
}  // namespace plimsoll::pelayout
