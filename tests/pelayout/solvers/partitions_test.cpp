// Checks layouts on two kinds of nodes against an enumeration of all nodes that components may use.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>
#include <plimsoll/pelayout/solvers.hpp>

#include "common/throws_error.hpp"
#include "pelayout/solvers/if_feasible.hpp"
#include "pelayout/solvers/random_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using plimsoll::testing::RandomLayouts;

/// Problem, layout and nodes of one random test.
struct PartitionedProblem {
  Problem problem;
  Layout layout;
  PlanOptions options;

  std::int64_t total() const { return processors_of(options.partitions); }
  std::size_t partition_of(const std::string& component) const {
    return options.placed_on.at(component) == options.partitions[0].name ? 0 : 1;
  }
};

PartitionedProblem random_problem(std::uint64_t seed) {
  RandomLayouts random(seed);
  PartitionedProblem result;
  const bool has_threads = random.chance(0.4);
  const bool shared = !has_threads && random.chance(0.3);
  const std::int64_t n_components = random.whole(2, shared ? 3 : 4);
  result.layout.expression = random.expression(n_components);
  for (const std::string name : {"gpu", "cpu"}) {
    const std::int64_t tasks = has_threads ? random.one_of<std::int64_t>({2, 4, 6}) : random.whole(1, 4);
    const std::int64_t n_nodes =
        shared ? random.whole(1, std::max<std::int64_t>(1, 5 / tasks)) : random.whole(1, 3);
    result.options.partitions.push_back(
        {.name = name, .n_nodes = n_nodes, .nodes = {.tasks_per_node = tasks, .shared = shared}});
  }
  result.options.model = random.one_of<ModelKind>({ModelKind::linear, ModelKind::fit});
  for (const std::string& name : components(result.layout.expression)) {
    Component component{.name = name, .block_size = random.one_of<std::int64_t>({1, 1, 1, 2})};
    const double work = 100 * std::exp(3 * random.uniform());
    for (const std::int64_t threads : {1, 2})
      for (std::int64_t tasks = random.whole(1, 2); threads == 1 || has_threads; tasks *= 2) {
        const double cost =
            (work / static_cast<double>(tasks * threads) + random.uniform()) * (1 + 0.3 * random.uniform());
        component.samples.push_back({.tasks = tasks,
                                     .threads = threads,
                                     .cost = cost,
                                     .repeats = 1,
                                     .minimum = cost,
                                     .maximum = cost});
        if (tasks > 8) break;
      }
    result.problem.components.push_back(std::move(component));
    ComponentRule& rule = result.layout.rules[name];
    if (random.chance(0.3)) rule.maximum = random.whole(1, 6);
    if (random.chance(0.15)) rule.minimum = random.whole(1, 3);
    if (random.chance(0.2)) rule.spans = true;
    result.options.placed_on[name] = random.one_of<std::string>({"gpu", "cpu"});
  }
  if (random.chance(0.2)) result.layout.overhead = random.uniform();
  return result;
}

/// Nodes of both kinds as bits; those of the first kind come first.
using KindsOfNodes = std::uint64_t;

/// Tries all numbers of nodes and all first nodes of all components.
class NodeEnumeration {
 public:
  NodeEnumeration(const PartitionedProblem& given, const Planner& planner)
      : given_(given), choices_(given.problem.components.size()) {
    for (const Partition& partition : given.options.partitions) {
      units_.push_back(partition.nodes.shared ? partition.total() : partition.n_nodes);
      processors_per_unit_.push_back(partition.nodes.shared ? 1 : partition.nodes.tasks_per_node);
    }
    const std::vector<ComponentModel> models = planner.models(given.total());
    for (const std::string& name : components(given.layout.expression))
      costs_.push_back(cost_by_units(*std::ranges::find(models, name, &ComponentModel::component),
                                     planner.counts_threads()));
  }

  std::optional<double> minimum_time() {
    choose(0);
    return minimum_;
  }

 private:
  struct Usage {
    KindsOfNodes nodes = 0;
    double time = 0;
  };

  std::size_t kind(std::size_t component) const {
    return given_.partition_of(components(given_.layout.expression)[component]);
  }

  /// Returns the minimum cost on exactly 1, 2, ... units of the component's kind.
  std::vector<std::optional<double>> cost_by_units(const ComponentModel& model, bool counts_threads) const {
    const std::size_t own = given_.partition_of(model.component);
    const ComponentRule& rule = given_.layout.rule(model.component);
    std::vector<std::optional<double>> costs(static_cast<std::size_t>(units_[own]));
    for (const auto& [threads, scaling] : model.by_threads)
      for (std::int64_t tasks = model.block_size; tasks <= given_.total(); tasks += model.block_size) {
        if (tasks < rule.minimum || tasks > rule.maximum) continue;
        if (counts_threads && given_.options.partitions[own].nodes.tasks_per_node % threads != 0) continue;
        const std::int64_t processors = counts_threads ? tasks * threads : tasks;
        const std::int64_t units = (processors + processors_per_unit_[own] - 1) / processors_per_unit_[own];
        if (units > units_[own]) continue;
        std::optional<double>& cost = costs[static_cast<std::size_t>(units - 1)];
        cost = std::min(cost.value_or(1e300), scaling->cost(tasks));
      }
    return costs;
  }

  void choose(std::size_t component) {
    if (component == choices_.size()) return weigh();
    const std::size_t own = kind(component);
    for (std::size_t k = 0; k < costs_[component].size(); ++k) {
      if (!costs_[component][k]) continue;
      const auto units = static_cast<std::int64_t>(k) + 1;
      for (std::int64_t first = 0; first + units <= units_[own]; ++first) {
        const std::int64_t offset = own == 0 ? first : units_[0] + first;
        choices_[component] = {((KindsOfNodes{1} << units) - 1) << offset, *costs_[component][k]};
        choose(component + 1);
      }
    }
  }

  void weigh() {
    next_ = 0;
    const std::optional<Usage> usage = usage_of(given_.layout.expression);
    if (!usage) return;
    const double time = usage->time * (1 + given_.layout.overhead);
    if (!minimum_ || time < *minimum_) minimum_ = time;
  }

  std::optional<Usage> usage_of(const LayoutExpression& part) {
    if (part.kind == LayoutExpression::Kind::component) return choices_[next_++];
    std::vector<Usage> usages;
    bool is_valid = true;
    for (const LayoutExpression& child : part.parts) {
      const std::optional<Usage> one = usage_of(child);
      is_valid = is_valid && one.has_value();
      usages.push_back(one.value_or(Usage{}));
    }
    if (!is_valid) return std::nullopt;
    const bool is_sequence = part.kind == LayoutExpression::Kind::sequence;
    const auto spanning = given_.layout.spanning_part(part);
    Usage all;
    for (const Usage& one : usages) {
      if (!is_sequence && (all.nodes & one.nodes) != 0) return std::nullopt;
      if (spanning && (one.nodes & same_kind(part.parts[*spanning]) & ~usages[*spanning].nodes) != 0)
        return std::nullopt;
      all = {all.nodes | one.nodes, is_sequence ? all.time + one.time : std::max(all.time, one.time)};
    }
    return all;
  }

  /// Returns all nodes of the kind that a component uses.
  KindsOfNodes same_kind(const LayoutExpression& component) const {
    const KindsOfNodes first = (KindsOfNodes{1} << units_[0]) - 1;
    return given_.partition_of(component.component) == 0 ? first : ~first;
  }

  const PartitionedProblem& given_;
  std::vector<std::int64_t> units_;  // nodes, or processors if nodes are shared
  std::vector<std::int64_t> processors_per_unit_;
  std::vector<std::vector<std::optional<double>>> costs_;  // by component and units
  std::vector<Usage> choices_;
  std::size_t next_ = 0;
  std::optional<double> minimum_;
};

/// Checks that components stay on the nodes of their kind, and share none with concurrent ones.
void expect_own_kind(const PartitionedProblem& given, const Solution& solution) {
  const double rounding = 1e-9 * solution.time;
  ASSERT_EQ(solution.partitions.size(), 2U);
  for (const Place& place : solution.places) {
    ASSERT_EQ(place.partition, given.partition_of(place.component));
    const Partition& own = solution.partitions[place.partition];
    const std::int64_t begin = place.partition == 0 ? 0 : solution.partitions[0].total();
    EXPECT_GE(place.root, begin);
    EXPECT_LE(place.root + place.processors, begin + own.processors);
    EXPECT_LE(own.processors, own.total());
    EXPECT_LE(place.tasks, given.layout.rule(place.component).maximum);
    const auto node = [&](std::int64_t processor) { return (processor - begin) / own.nodes.tasks_per_node; };
    EXPECT_EQ(place.nodes, node(place.root + place.processors - 1) - node(place.root) + 1);
    for (const Place& other : solution.places) {
      if (&other == &place || other.partition != place.partition) continue;
      if (place.start + rounding >= other.end || other.start + rounding >= place.end) continue;
      EXPECT_TRUE(place.root + place.processors <= other.root || other.root + other.processors <= place.root)
          << place.component << other.component;
      if (own.nodes.shared) continue;
      EXPECT_TRUE(node(place.root + place.processors - 1) < node(other.root) ||
                  node(other.root + other.processors - 1) < node(place.root))
          << place.component << other.component;
    }
  }
}

/// Each instance tests several seeds, so that the instances can run in parallel.
class TwoKindsOfNodes : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(TwoKindsOfNodes, AreUsedAsWellAsInAnEnumeration) {
  constexpr std::uint64_t n_seeds = 20;
  std::size_t n_feasible = 0;
  for (std::uint64_t seed = n_seeds * GetParam(); seed < n_seeds * (GetParam() + 1); ++seed) {
    const PartitionedProblem given = random_problem(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_string(given.layout.expression));
    std::optional<Planner> planner;
    if (const auto error = plimsoll::testing::error_of(
            [&] { planner.emplace(given.problem, given.layout, given.options); })) {
      FAIL() << error->what();
    }
    const LayoutProblem problem = planner->layout_problem(given.total());
    const std::optional<double> minimum = NodeEnumeration(given, *planner).minimum_time();
    std::vector<std::optional<Solution>> solutions = {
        if_feasible([&] { return DynamicProgram(problem).solve(); })};
    if (has_milp()) solutions.push_back(if_feasible([&] { return solve_milp(problem); }));
    for (const std::optional<Solution>& solution : solutions) {
      ASSERT_EQ(solution.has_value(), minimum.has_value());
      if (!minimum) continue;
      EXPECT_NEAR(solution->time, *minimum, 1e-9 * *minimum);
      expect_own_kind(given, *solution);
    }
    if (minimum) ++n_feasible;
  }
  EXPECT_GE(n_feasible, 8U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TwoKindsOfNodes, ::testing::Range<std::uint64_t>(0, 10));

}  // namespace
}  // namespace plimsoll::pelayout
