// Checks on random layouts that both solvers follow the rules of nodes as well as an exhaustive search, which
// places the tasks of each component on nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/solvers.hpp>

#include "common/throws_error.hpp"
#include "pelayout/solvers/if_feasible.hpp"
#include "pelayout/solvers/random_layouts.hpp"
#include "pelayout/solvers/small_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using Kind = LayoutExpression::Kind;
using plimsoll::testing::RandomLayouts;

/// Nodes as bits.
using NodeSet = std::uint64_t;

/// Tries all task counts and all first nodes of all components. Concurrent parts use different nodes.
class ExhaustiveSearch {
 public:
  /// The tables count tasks, without nodes.
  ExhaustiveSearch(const LayoutProblem& problem, std::int64_t tasks_per_node)
      : problem_(problem),
        tasks_per_node_(tasks_per_node),
        n_nodes_(problem.total / tasks_per_node),
        choices_(problem.tables.size()) {}

  std::optional<double> minimum_time() {
    choose(0);
    return minimum_;
  }

 private:
  /// Nodes and time of a part.
  struct Usage {
    NodeSet nodes = 0;
    double time = 0;
  };

  void choose(std::size_t component) {
    if (component == choices_.size()) return weigh();
    const CostTable& table = problem_.tables[component];
    for (std::size_t entry = 0; entry < table.size(); ++entry) {
      const std::int64_t needed = (table.processors[entry] + tasks_per_node_ - 1) / tasks_per_node_;
      for (std::int64_t first = 0; first + needed <= n_nodes_; ++first) {
        choices_[component] = {((NodeSet{1} << needed) - 1) << first, table.cost[entry]};
        choose(component + 1);
      }
    }
  }

  void weigh() {
    const std::optional<Usage> usage = usage_of(problem_.layout.expression);
    if (!usage || (problem_.exact_sum && usage->nodes != (NodeSet{1} << n_nodes_) - 1)) return;
    const double time = usage->time * (1 + problem_.layout.overhead) + problem_.layout.wait;
    if (!minimum_ || time < *minimum_) minimum_ = time;
  }

  std::optional<Usage> usage_of(const LayoutExpression& part) const {
    if (part.kind == Kind::component) {
      const auto table = std::ranges::find(problem_.tables, part.component, &CostTable::component);
      return choices_[static_cast<std::size_t>(table - problem_.tables.begin())];
    }
    std::vector<Usage> usages;
    for (const LayoutExpression& child : part.parts) {
      const std::optional<Usage> one = usage_of(child);
      if (!one) return std::nullopt;
      usages.push_back(*one);
    }
    return part.kind == Kind::sequence ? in_sequence(part, usages) : concurrent(usages);
  }

  std::optional<Usage> in_sequence(const LayoutExpression& part, const std::vector<Usage>& usages) const {
    const auto spanning = problem_.layout.spanning_part(part);
    Usage all;
    for (const Usage& one : usages) {
      if (problem_.exact_sum && one.nodes != usages.front().nodes) return std::nullopt;
      if (spanning && (one.nodes & ~usages[*spanning].nodes) != 0) return std::nullopt;
      all = {all.nodes | one.nodes, all.time + one.time};
    }
    return all;
  }

  static std::optional<Usage> concurrent(const std::vector<Usage>& usages) {
    Usage all;
    for (const Usage& one : usages) {
      if ((all.nodes & one.nodes) != 0) return std::nullopt;
      all = {all.nodes | one.nodes, std::max(all.time, one.time)};
    }
    return all;
  }

  const LayoutProblem& problem_;
  std::int64_t tasks_per_node_;
  std::int64_t n_nodes_;
  std::vector<Usage> choices_;
  std::optional<double> minimum_;
};

/// Returns the problem on nodes, as Planner makes it from tables of tasks.
LayoutProblem on_nodes(LayoutProblem problem, const Nodes& nodes) {
  problem.nodes = nodes;
  if (!nodes.shared)
    for (CostTable& one : problem.tables) one = on_whole_nodes(one, nodes.tasks_per_node);
  return problem;
}

bool overlap(double begin, double end, double other_begin, double other_end, double rounding) {
  return begin + rounding < other_end && other_begin + rounding < end;
}

/// Checks that components begin on new nodes, stay on their nodes, and share none with concurrent ones.
void expect_own_nodes(const LayoutProblem& problem, const Solution& solution) {
  const std::int64_t tasks_per_node = problem.nodes->tasks_per_node;
  const double rounding = 1e-9 * solution.time;
  EXPECT_LE(solution.processors, problem.total);
  EXPECT_EQ(solution.processors % tasks_per_node, 0);
  for (const Place& place : solution.places) {
    EXPECT_EQ(place.root % tasks_per_node, 0) << place.component;
    EXPECT_EQ(place.nodes, (place.processors + tasks_per_node - 1) / tasks_per_node) << place.component;
    const std::int64_t end = place.root + place.nodes * tasks_per_node;
    EXPECT_LE(end, solution.processors) << place.component;
    for (const Place& other : solution.places) {
      const std::int64_t other_end = other.root + other.nodes * tasks_per_node;
      if (&place != &other && overlap(place.start, place.end, other.start, other.end, rounding)) {
        EXPECT_TRUE(end <= other.root || other_end <= place.root) << place.component << other.component;
      }
    }
  }
}

/// Each instance tests several seeds, so that the instances can run in parallel.
class NodeRules : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint64_t n_seeds = 20;

  /// Solves random problems with both solvers, and compares the times with the exhaustive search.
  void compare(bool shared) {
    for (std::uint64_t seed = n_seeds * GetParam(); seed < n_seeds * (GetParam() + 1); ++seed) {
      RandomLayouts random(seed);
      const std::int64_t n_components = random.whole(2, 4);
      const std::int64_t n_nodes = random.whole(2, n_components == 4 ? 3 : 4);
      const Nodes nodes = {.tasks_per_node = random.whole(2, shared ? 2 : 3), .shared = shared};
      const std::int64_t total = n_nodes * nodes.tasks_per_node;
      const LayoutProblem of_tasks = random.chance(0.5) ? random.problem_of_samples(n_components, total)
                                                        : random.problem_of_tables(n_components, total);
      const LayoutProblem problem = on_nodes(of_tasks, nodes);
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_string(problem.layout.expression) + " on " +
                   std::to_string(n_nodes) + " nodes of " + std::to_string(nodes.tasks_per_node) +
                   (problem.exact_sum ? ", exactly" : ""));
      compare(problem, ExhaustiveSearch(of_tasks, shared ? 1 : nodes.tasks_per_node).minimum_time());
    }
  }

  std::size_t n_feasible_ = 0;

 private:
  void compare(const LayoutProblem& problem, const std::optional<double>& minimum) {
    std::vector<std::optional<Solution>> solutions{
        if_feasible([&] { return DynamicProgram(problem).solve(); })};
    if (has_milp()) solutions.push_back(if_feasible([&] { return solve_milp(problem); }));
    for (const std::optional<Solution>& solution : solutions) {
      ASSERT_EQ(solution.has_value(), minimum.has_value());
      if (!minimum) continue;
      EXPECT_NEAR(solution->time, *minimum, 1e-9 * *minimum);
      if (!problem.nodes->shared) expect_own_nodes(problem, *solution);
    }
    if (minimum) ++n_feasible_;
  }
};

TEST_P(NodeRules, HoldForWholeNodes) {
  compare(false);
  EXPECT_GE(n_feasible_, 5U);
}

TEST_P(NodeRules, HoldForSharedNodes) {
  compare(true);
  EXPECT_GE(n_feasible_, 5U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NodeRules, ::testing::Range<std::uint64_t>(0, 10));

// Two nodes of 4 tasks. If A may share a node with B, it gets 6 tasks; otherwise it gets the 4 of one node.
TEST(NodeRules, LeaveTasksIdleRatherThanShareNodes) {
  const LayoutProblem tasks =
      problem("A | B", {table("A", {1, 2, 4, 5, 6}, {12, 6, 3, 2.4, 2}), table("B", {1, 2}, {2, 1})}, 8);
  const Solution shared = DynamicProgram(on_nodes(tasks, {.tasks_per_node = 4, .shared = true})).solve();
  EXPECT_EQ(shared.find("A")->tasks, 6);
  EXPECT_EQ(shared.find("A")->nodes, 2);
  EXPECT_EQ(shared.find("B")->root, 6);
  EXPECT_EQ(shared.find("B")->nodes, 1);
  const Solution whole = DynamicProgram(on_nodes(tasks, {.tasks_per_node = 4})).solve();
  EXPECT_EQ(whole.time, 3);
  EXPECT_EQ(whole.find("A")->tasks, 4);
  EXPECT_EQ(whole.find("B")->root, 4);
  EXPECT_EQ(whole.find("B")->tasks, 2);
  EXPECT_EQ(whole.processors, 8);
}

TEST(NodeRules, ExplainInfeasibleTotalsInNodes) {
  const LayoutProblem tasks = problem("A | B", {table("A", {5}, {1}), table("B", {1, 2}, {2, 1})}, 8);
  EXPECT_ERROR(DynamicProgram(on_nodes(tasks, {.tasks_per_node = 4})).solve(), bad_input,
               "does not fit on 8 processors: the minimum is 12 on 3 nodes (A 8 + B 4)");
}

}  // namespace

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
