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

/// Makes up layouts, rules and costs; the same for the same seed.
class RandomLayouts {
 public:
  explicit RandomLayouts(std::uint64_t seed) : random_(seed) {}

  /// From least to most, both included.
  std::int64_t whole(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return uniform() < probability; }
  template <class Value>
  Value one_of(const std::vector<Value>& values) {
    return values[random_() % values.size()];
  }

  /// An expression of the components A, B, C, ...
  LayoutExpression expression(std::int64_t n_components) {
    next_ = 'A';
    return part(n_components, chance(0.5) ? LayoutExpression::Kind::sequence
                                          : LayoutExpression::Kind::side_by_side);
  }

  /// Costs of any shape at counts with gaps.
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

  LayoutProblem problem(std::int64_t n_components, std::int64_t total) {
    LayoutProblem problem;
    problem.layout.expression = expression(n_components);
    problem.total = total;
    problem.exact_sum = chance(0.3);
    if (chance(0.2)) problem.layout.overhead = uniform();
    if (chance(0.2)) problem.layout.wait = uniform();
    for (const std::string& component : components(problem.layout.expression))
      problem.tables.push_back(table(component, total));
    return problem;
  }

 private:
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
