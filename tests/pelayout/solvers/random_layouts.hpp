#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::testing {

using namespace plimsoll::pelayout;

/// Generator of random layouts, rules and costs, which depend only on the seed.
class RandomLayouts {
 public:
  explicit RandomLayouts(std::uint64_t seed) : random_(seed) {}

  /// Returns a number from `minimum` to `maximum`, both included.
  std::int64_t whole(std::int64_t minimum, std::int64_t maximum) {
    return minimum + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(maximum - minimum + 1));
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return uniform() < probability; }
  template <class Value>
  Value one_of(const std::vector<Value>& values) {
    return values[random_() % values.size()];
  }

  /// Returns an expression of the components A, B, C, ...
  LayoutExpression expression(std::int64_t n_components) {
    next_ = 'A';
    return part(n_components,
                chance(0.5) ? LayoutExpression::Kind::sequence : LayoutExpression::Kind::side_by_side);
  }

  /// Returns a table with random costs for some of the task counts up to `total`.
  CostTable table(const std::string& component, std::int64_t total) {
    CostTable table;
    table.component = component;
    table.block_size = one_of<std::int64_t>({1, 1, 2, 3, 4});
    const double keep = one_of<double>({1, 1, 0.8, 0.3});
    const double noise = one_of<double>({0, 0, 0.02, 0.5});
    const double work = std::exp(3 * uniform());
    const double growth = chance(0.3) ? 0.02 * work * uniform() : 0;
    for (std::int64_t count = table.block_size; count <= total; count += table.block_size) {
      if (!chance(keep)) continue;
      const auto n = static_cast<double>(count);
      table.processors.push_back(count);
      table.cost.push_back((work / n + growth * std::sqrt(n)) * (1 + noise * uniform()));
    }
    return table;
  }

  /// Returns a problem whose components have random cost tables.
  LayoutProblem problem_of_tables(std::int64_t n_components, std::int64_t total) {
    LayoutProblem problem;
    problem.layout = layout(n_components);
    problem.total = total;
    problem.exact_sum = chance(0.3);
    for (const std::string& component : components(problem.layout.expression))
      problem.tables.push_back(table(component, total));
    return problem;
  }

  /// Returns a problem whose components have measurements and rules, as in typical use.
  LayoutProblem problem_of_samples(std::int64_t n_components, std::int64_t total) {
    Layout laid_out = layout(n_components);
    Problem problem;
    for (const std::string& name : components(laid_out.expression)) {
      problem.components.push_back(measured(name, total));
      if (chance(0.5)) laid_out.rules[name] = rule(total, laid_out.rule(name).spans);
    }
    const PlanOptions options{
        .model = one_of<ModelKind>({ModelKind::cime, ModelKind::linear, ModelKind::fit}),
        .exact_sum = chance(0.3)};
    return Planner(problem, laid_out, options).layout_problem(total);
  }

 private:
  Layout layout(std::int64_t n_components) {
    Layout layout;
    layout.expression = expression(n_components);
    for (const std::string& component : components(layout.expression))
      if (chance(0.15)) layout.rules[component].spans = true;
    if (chance(0.2)) layout.overhead = uniform();
    if (chance(0.2)) layout.wait = uniform();
    return layout;
  }

  Component measured(const std::string& name, std::int64_t total) {
    Component component;
    component.name = name;
    component.block_size = one_of<std::int64_t>({1, 1, 2, 4, 8});
    const double work = 100 * std::exp(3 * uniform());
    const double rest = chance(0.5) ? work * uniform() / 100 : 0;
    const double noise = one_of<double>({0, 0.05, 0.6});
    for (std::int64_t tasks = whole(1, 4); tasks < 2 * total && component.samples.size() < 7;
         tasks += whole(1, 2 * tasks)) {
      const double cost = (work / static_cast<double>(tasks) + rest) * (1 + noise * uniform());
      component.samples.push_back(
          {.tasks = tasks, .threads = 1, .cost = cost, .repeats = 1, .minimum = cost, .maximum = cost});
    }
    return component;
  }

  ComponentRule rule(std::int64_t total, bool spans) {
    ComponentRule rule;
    rule.spans = spans;
    switch (whole(0, 6)) {
      case 0: rule.minimum = whole(1, total / 4); break;
      case 1: rule.maximum = whole(total / 2, total); break;
      case 2: rule.multiple_of = whole(2, 6); break;
      case 3: rule.power_of = 2; break;
      case 4: rule.fixed = 8 * whole(1, std::max<std::int64_t>(1, total / 32)); break;
      case 5: rule.overhead = uniform(); break;
      default:
        for (std::int64_t tasks = 8; tasks <= total; tasks += 8 * whole(1, 4)) rule.allowed.push_back(tasks);
    }
    if (chance(0.2)) rule.wait = 10 * uniform();
    if (chance(0.2)) rule.block_size = whole(1, 4);
    return rule;
  }

  LayoutExpression part(std::int64_t n_components, LayoutExpression::Kind kind) {
    using Kind = LayoutExpression::Kind;
    if (n_components == 1)
      return {.kind = Kind::component, .component = std::string(1, next_++), .parts = {}};
    LayoutExpression result{.kind = kind, .component = {}, .parts = {}};
    const Kind other = kind == Kind::sequence ? Kind::side_by_side : Kind::sequence;
    for (std::int64_t left = n_components; left > 0;) {
      const std::int64_t own = whole(1, std::min(left, n_components - 1));
      result.parts.push_back(part(own, other));
      left -= own;
    }
    return result;
  }

  std::mt19937_64 random_;
  char next_ = 'A';
};

}  // namespace plimsoll::testing
