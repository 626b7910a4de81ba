#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/models/models.hpp"
#include "pelayout/solvers/choice.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

/// Returns the processor counts up to `limit` that a component may have.
UnitSet possible_counts(const CostTable& table, const ComponentRule& rule, std::int64_t limit) {
  UnitSet possible(static_cast<std::size_t>(limit));
  const std::vector<std::int64_t> counts =
      table.threads.empty() ? admitted_task_counts(rule, table.block_size, limit) : table.processors;
  for (const std::int64_t used : counts)
    if (const std::int64_t processors = table.occupied(used); processors <= limit)
      possible.insert(static_cast<std::size_t>(processors));
  return possible;
}

/// Returns the minimum processor count >= `from` that a component may have, even if it exceeds the total.
/// Empty if none exists.
std::optional<std::int64_t> minimum_processors(const CostTable& table, ComponentRule rule,
                                               std::int64_t from) {
  constexpr std::int64_t beyond_any_machine =
      1'000'000'000'000'000;  // limit that prevents overflow in sums of several counts
  const auto within = std::ranges::lower_bound(table.processors, from);
  if (within != table.processors.end()) return *within;
  const std::int64_t used = from - std::min(from, table.processors_per_node);
  rule.minimum = std::max(rule.minimum, used / table.processors_per_task + 1);
  const std::optional<std::int64_t> tasks = minimum_admitted_task_count(rule, table.block_size);
  if (!tasks) return std::nullopt;
  return table.occupied(std::min(*tasks, beyond_any_machine / table.processors_per_task) *
                        table.processors_per_task);
}

std::string rule_text(const CostTable& table, const ComponentRule& rule) {
  std::string text = fmt::format("multiples of its block size {}", count_text(table.block_size));
  if (rule.fixed) text += fmt::format(", fixed at {}", count_text(*rule.fixed));
  if (rule.minimum > 1) text += fmt::format(", >= {}", count_text(rule.minimum));
  if (rule.maximum < std::numeric_limits<std::int64_t>::max())
    text += fmt::format(", <= {}", count_text(rule.maximum));
  if (rule.multiple_of) text += fmt::format(", multiples of {}", count_text(*rule.multiple_of));
  if (rule.power_of) text += fmt::format(", powers of {}", count_text(*rule.power_of));
  if (!rule.allowed.empty())
    text += fmt::format(", one of the {} allowed", count_text(std::ssize(rule.allowed)));
  return text;
}

/// Minimum processor count of an expression, and its terms: "ICE 8 + LND 8 + OCN 8".
struct Minimum {
  std::int64_t processors = 0;
  std::string text;
};

/// Finds the minimum processor counts, or a component without any allowed count.
struct MinimumProcessors {
  const LayoutProblem& problem;
  std::size_t partition = 0;  ///< kind of nodes; components on others need no processors
  std::string obstacle = {};  ///< reason if no count is allowed, otherwise empty

  Minimum of(const LayoutExpression& part, std::int64_t from = 1) {
    if (part.kind == Kind::component) return of_component(part.component, from);
    const std::size_t none = part.parts.size();
    const std::size_t spanning = problem.layout.spanning_part(part).value_or(none);
    Minimum sum;
    for (std::size_t k = 0; k < part.parts.size(); ++k) {
      if (k == spanning) continue;
      Minimum one = of(part.parts[k]);
      if (part.kind == Kind::sequence) {
        if (one.processors > sum.processors) sum = std::move(one);
      } else {
        sum.processors += one.processors;
        if (!one.text.empty()) sum.text += (sum.text.empty() ? "" : " + ") + one.text;
      }
    }
    return spanning == none ? sum : of(part.parts[spanning], sum.processors);
  }

  Minimum of_component(const std::string& component, std::int64_t from) {
    const CostTable& table = *std::ranges::find(problem.tables, component, &CostTable::component);
    if (table.partition != partition) return {};
    const ComponentRule& rule = problem.layout.rule(component);
    const std::optional<std::int64_t> own = minimum_processors(table, rule, from);
    if (!own && obstacle.empty())
      obstacle = fmt::format("no allowed task count{1} for {0}: {2}", component,
                             from > 1 ? fmt::format(" of {} or more", count_text(from)) : "",
                             rule_text(table, rule));
    return {own.value_or(1), fmt::format("{} {}", component, count_text(own.value_or(1)))};
  }
};

/// Returns the processor counts up to `limit` that `part` can use exactly.
UnitSet exact_counts(const LayoutExpression& part, const LayoutProblem& problem, std::int64_t limit,
                     std::size_t& next) {
  if (part.kind == Kind::component) {
    const CostTable& table = problem.tables[next++];
    return possible_counts(table, problem.layout.rule(table.component), limit);
  }
  UnitSet all = exact_counts(part.parts.front(), problem, limit, next);
  for (std::size_t k = 1; k < part.parts.size(); ++k) {
    const UnitSet one = exact_counts(part.parts[k], problem, limit, next);
    if (part.kind == Kind::sequence) {
      all.keep_common(one);
      continue;
    }
    UnitSet sums(static_cast<std::size_t>(limit));
    for (std::size_t units = 0; units < one.size(); ++units)
      if (one.contains(units)) sums.insert_sums(all, units, [](std::size_t) {});
    all = std::move(sums);
  }
  return all;
}

constexpr std::int64_t max_exact_limit = 20'000;

/// Formats a number of processors with their nodes: "192 on 3 nodes".
std::string with_nodes(std::int64_t processors, const std::optional<Nodes>& nodes) {
  if (!nodes) return count_text(processors);
  const std::int64_t number = nodes->count(processors);
  return fmt::format("{} on {} node{}", count_text(processors), count_text(number), number == 1 ? "" : "s");
}

std::string explain_exact(const LayoutProblem& problem) {
  const std::string what = fmt::format("the parts of {} cannot use exactly {} processors",
                                       to_string(problem.layout.expression), count_text(problem.total));
  const std::int64_t limit = std::min(2 * problem.total + 1'000, max_exact_limit);
  if (problem.total > limit) return what + "; without exact sums, some processors may be idle";
  std::size_t next = 0;
  const UnitSet sums = exact_counts(problem.layout.expression, problem, limit, next);
  std::vector<std::string> nearest;
  for (std::int64_t total = problem.total; total > 0 && nearest.empty(); --total)
    if (sums.contains(static_cast<std::size_t>(total))) nearest.push_back(count_text(total));
  const std::size_t below = nearest.size();
  for (std::int64_t total = problem.total; total <= limit && nearest.size() == below; ++total)
    if (sums.contains(static_cast<std::size_t>(total))) nearest.push_back(count_text(total));
  if (nearest.empty()) return what + ", or any number close to it";
  return fmt::format("{}; the nearest possible {}", what,
                     nearest.size() == 1 ? "total is " + nearest[0]
                                         : fmt::format("totals are {} and {}", nearest[0], nearest[1]));
}

std::string explain_partitions(const LayoutProblem& problem) {
  std::string all;
  for (std::size_t kind = 0; kind < problem.partitions.size(); ++kind) {
    const Partition& partition = problem.partitions[kind];
    MinimumProcessors processors{.problem = problem, .partition = kind};
    const Minimum needed = processors.of(problem.layout.expression);
    if (!processors.obstacle.empty()) return processors.obstacle;
    if (needed.processors > partition.total())
      return fmt::format("the layout {} does not fit on the {} processors of {}: the minimum is {} ({})",
                         to_string(problem.layout.expression), count_text(partition.total()),
                         support::in_quotes(partition.name), with_nodes(needed.processors, partition.nodes),
                         needed.text);
  }
  return fmt::format("the layout {} does not fit on the nodes", to_string(problem.layout.expression));
}

}  // namespace

std::string explain_infeasible(const LayoutProblem& problem) {
  if (!problem.partitions.empty()) return explain_partitions(problem);
  MinimumProcessors processors{.problem = problem};
  const Minimum needed = processors.of(problem.layout.expression);
  if (!processors.obstacle.empty()) return processors.obstacle;
  if (needed.processors > problem.total)
    return fmt::format("the layout {} does not fit on {} processors: the minimum is {} ({})",
                       to_string(problem.layout.expression), count_text(problem.total),
                       with_nodes(needed.processors, problem.nodes), needed.text);
  return explain_exact(problem);
}

}  // namespace plimsoll::pelayout
