// Checks on random layouts that both solvers agree with each other and with an exhaustive search.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <plimsoll/pelayout/solvers.hpp>

#include "common/throws_error.hpp"
#include "pelayout/solvers/if_feasible.hpp"
#include "pelayout/solvers/random_layouts.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using Kind = LayoutExpression::Kind;
using testing::RandomLayouts;

std::string describe(const LayoutProblem& problem, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + ": " + to_string(problem.layout.expression) + " on " +
         std::to_string(problem.total) + (problem.exact_sum ? ", exactly" : "");
}

/// Checks that no two components use the same processor at the same time, and that none is outside the
/// layout.
void expect_no_overlap(const LayoutProblem& problem, const Solution& solution) {
  const double cycle = (solution.time - problem.layout.wait) / (1 + problem.layout.overhead);
  const double rounding = 1e-12 * (solution.time + 1);
  EXPECT_LE(solution.processors, problem.total);
  for (const Place& place : solution.places) {
    EXPECT_GE(place.root, 0) << place.component;
    EXPECT_LE(place.root + place.processors, solution.processors) << place.component;
    EXPECT_GE(place.start, 0) << place.component;
    EXPECT_LE(place.end, cycle + rounding) << place.component;
    for (const Place& other : solution.places) {
      if (&place == &other) continue;
      const bool processors_apart =
          place.root + place.processors <= other.root || other.root + other.processors <= place.root;
      const bool times_apart = place.end <= other.start + rounding || other.end <= place.start + rounding;
      EXPECT_TRUE(processors_apart || times_apart) << place.component << " and " << other.component;
    }
  }
}

/// Processors and time of a part for a given choice of counts.
struct Extent {
  std::int64_t processors = 0;
  double time = 0;
};

/// Returns the extent of a part. Empty if the part must use all its processors, but does not.
std::optional<Extent> extent(const LayoutProblem& problem, const LayoutExpression& part,
                             const std::vector<std::size_t>& choice) {
  if (part.kind == Kind::component) {
    const auto table = static_cast<std::size_t>(
        std::ranges::find(problem.tables, part.component, &CostTable::component) - problem.tables.begin());
    return Extent{problem.tables[table].processors[choice[table]], problem.tables[table].cost[choice[table]]};
  }
  std::vector<Extent> extents;
  for (const LayoutExpression& child : part.parts) {
    const std::optional<Extent> one = extent(problem, child, choice);
    if (!one) return std::nullopt;
    extents.push_back(*one);
  }
  const auto spanning = problem.layout.spanning_part(part);
  Extent all;
  for (const Extent& one : extents) {
    if (part.kind == Kind::sequence) {
      if (problem.exact_sum && one.processors != extents.front().processors) return std::nullopt;
      if (spanning && one.processors > extents[*spanning].processors) return std::nullopt;
      all.processors = std::max(all.processors, one.processors);
      all.time += one.time;
    } else {
      all.processors += one.processors;
      all.time = std::max(all.time, one.time);
    }
  }
  return all;
}

/// Returns the minimum time over all possible choices of counts.
std::optional<double> minimum_of_all(const LayoutProblem& problem) {
  std::optional<double> minimum;
  std::vector<std::size_t> choice(problem.tables.size());
  const std::function<void(std::size_t)> choose = [&](std::size_t table) {
    if (table < choice.size()) {
      for (choice[table] = 0; choice[table] < problem.tables[table].size(); ++choice[table])
        choose(table + 1);
      return;
    }
    const std::optional<Extent> all = extent(problem, problem.layout.expression, choice);
    if (!all) return;
    if (problem.exact_sum ? all->processors != problem.total : all->processors > problem.total) return;
    const double time = all->time * (1 + problem.layout.overhead) + problem.layout.wait;
    if (!minimum || time < *minimum) minimum = time;
  };
  choose(0);
  return minimum;
}

/// Each instance tests several seeds, so that the instances can run in parallel.
class SolverAgreement : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    if (!has_milp()) GTEST_SKIP() << "built without CBC";
  }
  void TearDown() override { EXPECT_LE(n_given_up_, 1); }

  /// Checks that both solvers find the same time, or neither finds a layout. Returns the layout of the
  /// dynamic program; empty if none exists.
  std::optional<Solution> expect_agreement(const LayoutProblem& problem) {
    const auto exact = if_feasible([&] { return DynamicProgram(problem).solve(); });
    if (exact) expect_no_overlap(problem, *exact);
    std::optional<Solution> milp;
    const auto error = plimsoll::testing::error_of([&] { milp = solve_milp(problem); });
    if (error && error->kind() == ErrorKind::system) {
      ++n_given_up_;  // CBC gives up after a minute, in which a slow build may not solve the hardest problems
      return exact;
    }
    EXPECT_EQ(exact.has_value(), milp.has_value()) << (error ? error->what() : "");
    if (exact && milp) {
      EXPECT_NEAR(exact->time, milp->time, 1e-9 * exact->time);
      expect_no_overlap(problem, *milp);
    }
    return exact;
  }

 private:
  int n_given_up_ = 0;
};

TEST_P(SolverAgreement, HoldsForMeasuredComponents) {
  std::size_t n_feasible = 0;
  for (std::uint64_t seed = 30 * GetParam(); seed < 30 * (GetParam() + 1); ++seed) {
    RandomLayouts random(seed);
    const LayoutProblem problem = random.problem_of_samples(random.whole(3, 7), random.whole(16, 100));
    SCOPED_TRACE(describe(problem, seed));
    if (expect_agreement(problem)) ++n_feasible;
  }
  EXPECT_GE(n_feasible, 10);
}

TEST_P(SolverAgreement, HoldsForTablesOfAnyShape) {
  for (std::uint64_t seed = 10 * GetParam(); seed < 10 * (GetParam() + 1); ++seed) {
    RandomLayouts random(seed);
    const LayoutProblem problem = random.problem_of_tables(random.whole(3, 8), random.whole(8, 64));
    SCOPED_TRACE(describe(problem, seed));
    expect_agreement(problem);
  }
}

TEST_P(SolverAgreement, IncludesExhaustiveSearch) {
  for (std::uint64_t seed = 30 * GetParam(); seed < 30 * (GetParam() + 1); ++seed) {
    RandomLayouts random(seed);
    const std::int64_t n_components = random.whole(2, 4);
    const std::int64_t total = random.whole(4, n_components == 4 ? 12 : 20);
    const LayoutProblem problem = random.chance(0.5) ? random.problem_of_samples(n_components, total)
                                                     : random.problem_of_tables(n_components, total);
    SCOPED_TRACE(describe(problem, seed));
    const std::optional<double> minimum = minimum_of_all(problem);
    const std::optional<Solution> found = expect_agreement(problem);
    ASSERT_EQ(minimum.has_value(), found.has_value());
    if (minimum) {
      EXPECT_NEAR(found->time, *minimum, 1e-9 * *minimum);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SolverAgreement, ::testing::Range<std::uint64_t>(0, 5));

}  // namespace
}  // namespace plimsoll::pelayout
