#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <plimsoll/pelayout/sensitivity.hpp>

#include "pelayout/analysis/alternative_layouts.hpp"
#include "pelayout/analysis/estimator.hpp"
#include "pelayout/analysis/layout_time.hpp"
#include "pelayout/layout/default_layout.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

class Analysis {
 public:
  Analysis(const Planner& planner, const Solution& solution, std::int64_t total,
           std::span<const TimingFile> runs)
      : planner_(planner),
        solution_(solution),
        total_(total),
        runs_(runs),
        models_(planner.models(total)),
        costs_(costs(solution)) {}

  Sensitivity run() {
    Sensitivity result;
    const ComponentCosts slacks = slack(planner_.layout().expression, costs_);
    const ComponentCosts waits = waiting(planner_.layout().expression, solution_, costs_);
    result.block = largest_block();
    double busy = 0;
    for (const Place& place : solution_.places) {
      const double slack = slacks.at(place.component);
      result.components.push_back({.component = place.component,
                                   .limiting = slack == 0,
                                   .slack = slack,
                                   .gain_of_block = gain_of_block(place, result.block),
                                   .waiting = waits.at(place.component),
                                   .share = share(place),
                                   .extrapolated = extrapolated(place)});
      busy += result.components.back().share;
    }
    if (solution_.time > 0) result.idle = std::max(0.0, 1 - busy);
    add_neighbours(result);
    result.alternatives = alternatives();
    result.sequential_cost = sequential_cost(result.alternatives);
    result.layout_hardly_matters = hardly_matters(result.alternatives);
    return result;
  }

 private:
  void add_neighbours(Sensitivity& result) const {
    const std::int64_t block = result.block;
    try {
      const auto neighbours =
          planner_.solve_each({std::max<std::int64_t>(1, total_ - block), total_ + block});
      if (total_ > block && neighbours[0]) result.one_block_less = neighbours[0]->time;
      if (neighbours[1]) result.one_block_more = neighbours[1]->time;
    } catch (const Error& error) {
      // Ignore totals beyond the maximum that can be solved: their times are unknown.
      if (error.kind() != ErrorKind::bad_input) throw;
    }
  }

  std::int64_t largest_block() const {
    std::int64_t block = 1;
    for (const Place& place : solution_.places) {
      const ComponentRule& rule = planner_.layout().rule(place.component);
      block = std::max(block, rule.block_size.value_or(find_model(models_, place.component)->block_size));
    }
    for (const Partition& partition : solution_.partitions)
      block = std::max(block, partition.nodes.shared ? block : partition.nodes.round_up(block));
    const std::optional<Nodes>& nodes = solution_.nodes;
    return nodes && !nodes->shared ? nodes->round_up(block) : block;
  }

  /// Computes the gain of the component's next allowed count, as if processors for it were available.
  double gain_of_block(const Place& place, std::int64_t block) const {
    const CostTable table = planner_.cost_table(*find_model(models_, place.component), total_ + block);
    const auto next = std::ranges::upper_bound(table.processors, table.occupied(place.processors));
    if (next == table.processors.end()) return 0;
    ComponentCosts changed = costs_;
    changed[place.component] = table.cost[static_cast<std::size_t>(next - table.processors.begin())];
    return layout_time(planner_.layout(), costs_) - layout_time(planner_.layout(), changed);
  }

  /// Returns the share of a component in the processor time or, with two kinds of nodes, in the node time.
  double share(const Place& place) const {
    const std::vector<Partition>& kinds = solution_.partitions;
    const auto used = static_cast<double>(place.processors);
    if (!kinds.empty()) {
      const auto nodes = static_cast<double>(kinds[0].n_nodes + kinds[1].n_nodes);
      const auto per_node = static_cast<double>(kinds[place.partition].nodes.tasks_per_node);
      return solution_.time > 0 ? used / per_node * place.cost / (nodes * solution_.time) : 0;
    }
    const double all = static_cast<double>(total_) * solution_.time;
    return all > 0 ? used * place.cost / all : 0;
  }

  bool extrapolated(const Place& place) const {
    const ScalingModel* model = find_model(models_, place.component, place.threads);
    return model && model->extrapolates(place.tasks);
  }

  std::vector<Alternative> alternatives() const {
    std::vector<Alternative> alternatives;
    for (const Layout& layout : alternative_layouts(planner_.layout(), planner_.problem().coupler)) {
      const Planner other(planner_.problem(), layout, planner_.options());
      const std::vector<std::optional<Solution>> solutions = other.solve_each({total_});
      if (solutions[0])
        alternatives.push_back(
            {layout.name, to_string(layout.expression), *solutions[0], expected(other, *solutions[0])});
    }
    std::ranges::stable_sort(alternatives, {}, [](const Alternative& one) { return one.expected.time; });
    return alternatives;
  }

  ExpectedTime expected(const Planner& planner, const Solution& solution) const {
    return Estimator(planner, known_runs(planner, runs_)).expected(solution, total_);
  }

  std::optional<double> sequential_cost(const std::vector<Alternative>& by_time) const {
    std::optional<double> sequential;
    std::optional<double> concurrent;
    const auto add = [&](bool is_concurrent, double time) {
      std::optional<double>& best = is_concurrent ? concurrent : sequential;
      best = std::min(best.value_or(time), time);
    };
    add(has_concurrent_parts(to_string(planner_.layout().expression)), solution_.time);
    for (const Alternative& other : by_time) add(has_concurrent_parts(other.expression), other.solution.time);
    if (!sequential || !concurrent || *concurrent <= 0) return std::nullopt;
    return *sequential / *concurrent - 1;
  }

  static bool has_concurrent_parts(const std::string& expression) {
    return expression.find('|') != std::string::npos;
  }

  bool hardly_matters(const std::vector<Alternative>& by_time) const {
    if (by_time.empty()) return false;
    const double time = expected(planner_, solution_).time;
    const double minimum = std::min(time, by_time.front().expected.time);
    const double maximum = std::max(time, by_time.back().expected.time);
    return maximum < 1.05 * minimum;
  }

  const Planner& planner_;
  const Solution& solution_;
  std::int64_t total_;
  std::span<const TimingFile> runs_;
  std::vector<ComponentModel> models_;
  ComponentCosts costs_;
};

using Kind = LayoutExpression::Kind;

std::vector<std::string> sorted_components(const LayoutExpression& expression) {
  std::vector<std::string> names = components(expression);
  std::ranges::sort(names);
  return names;
}

/// Returns the same string for arrangements that differ only in the order of parts, because times do not
/// depend on that order.
std::string arrangement(const LayoutExpression& expression) {
  if (expression.kind == Kind::component) return expression.component;
  std::vector<std::string> parts;
  for (const LayoutExpression& part : expression.parts) parts.push_back(arrangement(part));
  std::ranges::sort(parts);
  return fmt::format("({})", fmt::join(parts, expression.kind == Kind::sequence ? ";" : "|"));
}

LayoutExpression in_sequence(const std::vector<LayoutExpression>& parts) {
  LayoutExpression sequence{.kind = Kind::sequence};
  for (const LayoutExpression& part : parts)
    if (part.kind == Kind::sequence)
      std::ranges::copy(part.parts, std::back_inserter(sequence.parts));
    else
      sequence.parts.push_back(part);
  return sequence;
}

/// Converts an expression so that concurrent parts run in sequence: in group number `which`, counted from the
/// innermost left, or in all groups. Adds the number of groups to `groups`.
LayoutExpression serialised(const LayoutExpression& expression, std::optional<std::size_t> which,
                            std::size_t& groups) {
  if (expression.kind == Kind::component) return expression;
  LayoutExpression result{.kind = expression.kind};
  for (const LayoutExpression& part : expression.parts)
    result.parts.push_back(serialised(part, which, groups));
  if (expression.kind == Kind::side_by_side)
    if (const std::size_t number = groups++; which.value_or(number) != number) return result;
  return in_sequence(result.parts);
}

Layout by_expression(LayoutExpression expression) {
  return {.name = to_string(expression), .description = {}, .expression = std::move(expression)};
}

std::vector<Layout> variants(const LayoutExpression& expression) {
  std::size_t groups = 0;
  std::vector<Layout> layouts{by_expression(serialised(expression, std::nullopt, groups))};
  for (std::size_t which = 0, ignored = 0; which < groups; ++which, ignored = 0)
    layouts.push_back(by_expression(serialised(expression, which, ignored)));
  return layouts;
}

using Pairs = std::set<std::pair<std::string, std::string>>;

/// Returns the pairs of components that run concurrently; the names of a pair are sorted.
Pairs concurrent_pairs(const LayoutExpression& expression) {
  Pairs pairs;
  for (std::size_t k = 0; k < expression.parts.size(); ++k) {
    pairs.merge(concurrent_pairs(expression.parts[k]));
    for (std::size_t before = 0; expression.kind == Kind::side_by_side && before < k; ++before)
      for (const std::string& one : components(expression.parts[before]))
        for (const std::string& other : components(expression.parts[k]))
          pairs.insert(std::minmax(one, other));
  }
  return pairs;
}

/// Returns arrangements of a layout's components, without regard to dependencies. Names of built-in layouts
/// come first, because they take precedence over generated names.
std::vector<Layout> candidates_for(const Layout& layout, Coupler coupler) {
  const std::vector<std::string> names = components(layout.expression);
  if (coupler == Coupler::oasis) return {by_expression(concurrent_arrangement(names))};
  std::vector<Layout> bases;
  for (const Layout& built_in : built_in_layouts())
    if (sorted_components(built_in.expression) == sorted_components(layout.expression))
      bases.push_back(built_in);
  bases.push_back(layout);
  bases.push_back(by_expression(usual_arrangement(names)));
  std::vector<Layout> candidates = bases;
  for (const Layout& base : bases)
    std::ranges::move(variants(base.expression), std::back_inserter(candidates));
  return candidates;
}

}  // namespace

const std::string& Alternative::layout() const {
  return name.find(' ') == std::string::npos ? name : expression;
}

std::vector<std::string> Sensitivity::limiting() const {
  std::vector<std::string> names;
  for (const ComponentSensitivity& component : components)
    if (component.limiting) names.push_back(component.component);
  return names;
}

Sensitivity analyse(const Planner& planner, const Solution& solution, std::int64_t total,
                    std::span<const TimingFile> runs) {
  return Analysis(planner, solution, total, runs).run();
}

std::vector<Layout> alternative_layouts(const Layout& layout, Coupler coupler) {
  std::vector<Layout> candidates = candidates_for(layout, coupler);
  std::set<std::string> known{arrangement(layout.expression)};
  const Pairs concurrent = concurrent_pairs(layout.expression);
  const auto permitted = [&](const Layout& candidate) {
    return std::ranges::all_of(concurrent_pairs(candidate.expression), [&](const auto& pair) {
      return coupler == Coupler::oasis || concurrent.contains(pair) || driver_permits(pair);
    });
  };
  std::vector<Layout> alternatives;
  for (Layout& candidate : candidates) {
    if (!permitted(candidate) || !known.insert(arrangement(candidate.expression)).second) continue;
    candidate.rules = layout.rules;
    candidate.overhead = layout.overhead;
    candidate.wait = layout.wait;
    alternatives.push_back(std::move(candidate));
  }
  return alternatives;
}

}  // namespace plimsoll::pelayout
