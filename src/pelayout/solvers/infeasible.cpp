#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/pelayout/dynamic_programme.hpp>
#include <plimsoll/support/format.hpp>

#include "pelayout/solvers/unit_set.hpp"

namespace plimsoll::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

std::string count(std::int64_t number) {
  return support::format_count(static_cast<std::uint64_t>(number));
}

constexpr std::int64_t max_steps = 200'000;

/// The counts up to `limit` that a component may have.
UnitSet possible_counts(const CostTable& table, const ComponentRule& rule, std::int64_t limit) {
  UnitSet possible(static_cast<std::size_t>(limit));
  if (!table.threads.empty()) {
    for (const std::int64_t processors : table.processors)
      if (processors <= limit) possible.insert(static_cast<std::size_t>(processors));
    return possible;
  }
  for (std::int64_t tasks = table.block_size; tasks <= limit; tasks += table.block_size)
    if (rule.admits(tasks)) possible.insert(static_cast<std::size_t>(tasks));
  return possible;
}

/// The smallest count that a component may have, wherever it is; nothing if there is none, or none is near.
std::optional<std::int64_t> least_count(const CostTable& table, const ComponentRule& rule) {
  if (!table.processors.empty()) return table.processors.front();
  const auto fits = [&](std::int64_t tasks) { return tasks % table.block_size == 0 && rule.admits(tasks); };
  if (rule.fixed) return fits(*rule.fixed) ? rule.fixed : std::nullopt;
  if (!rule.allowed.empty()) {
    const auto found = std::ranges::find_if(rule.allowed, fits);
    return found == rule.allowed.end() ? std::nullopt : std::optional(*found);
  }
  if (rule.power_of) {
    for (std::int64_t power = 1;; power *= *rule.power_of) {
      if (fits(power)) return power;
      if (power > std::min(rule.most, std::numeric_limits<std::int64_t>::max() / *rule.power_of))
        return std::nullopt;
    }
  }
  const std::int64_t first = (rule.least - 1) / table.block_size + 1;
  const std::int64_t last = std::min(rule.most / table.block_size, first + max_steps);
  for (std::int64_t block = first; block <= last; ++block)
    if (rule.admits(block * table.block_size)) return block * table.block_size;
  return std::nullopt;
}

/// Why a component has no count at all.
std::string rule_text(const CostTable& table, const ComponentRule& rule) {
  std::string text = fmt::format("multiples of its block size {}", count(table.block_size));
  if (rule.fixed) text += fmt::format(", fixed at {}", count(*rule.fixed));
  if (rule.least > 1) text += fmt::format(", at least {}", count(rule.least));
  if (rule.most < std::numeric_limits<std::int64_t>::max())
    text += fmt::format(", at most {}", count(rule.most));
  if (rule.multiple_of) text += fmt::format(", multiples of {}", count(*rule.multiple_of));
  if (rule.power_of) text += fmt::format(", powers of {}", count(*rule.power_of));
  if (!rule.allowed.empty()) text += fmt::format(", one of the {} allowed", count(std::ssize(rule.allowed)));
  return text;
}

/// The least processors of an expression, and how they come about: "(ICE 8 + LND 8) + OCN 8".
struct Least {
  std::int64_t processors = 0;
  std::string text;
};

Least least(const LayoutExpression& part, const std::vector<std::int64_t>& counts, std::size_t& next) {
  if (part.kind == Kind::component) {
    const std::int64_t processors = counts[next++];
    return {processors, fmt::format("{} {}", part.component, count(processors))};
  }
  Least sum;
  for (const LayoutExpression& child : part.parts) {
    Least one = least(child, counts, next);
    if (part.kind == Kind::sequence) {
      if (one.processors > sum.processors) sum = std::move(one);
    } else {
      sum.processors += one.processors;
      sum.text += (sum.text.empty() ? "" : " + ") + one.text;
    }
  }
  return sum;
}

/// Sums that parts can make exactly, up to a limit.
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

std::string explain_exact(const LayoutProblem& problem) {
  const std::string what = fmt::format("the parts of {} cannot fill exactly {} processors",
                                       to_string(problem.layout.expression), count(problem.total));
  const std::int64_t limit = std::min(2 * problem.total + 1'000, max_exact_limit);
  if (problem.total > limit) return what + "; without exact sums some may stay idle";
  std::size_t next = 0;
  const UnitSet sums = exact_counts(problem.layout.expression, problem, limit, next);
  std::vector<std::string> nearest;
  for (std::int64_t total = problem.total; total > 0 && nearest.empty(); --total)
    if (sums.contains(static_cast<std::size_t>(total))) nearest.push_back(count(total));
  for (std::int64_t total = problem.total; total <= limit; ++total) {
    if (!sums.contains(static_cast<std::size_t>(total))) continue;
    nearest.push_back(count(total));
    break;
  }
  if (nearest.empty()) return what + ", nor any other number nearby";
  return fmt::format(
      "{}; the nearest they can fill {}", what,
      nearest.size() == 1 ? "is " + nearest[0] : fmt::format("are {} and {}", nearest[0], nearest[1]));
}

}  // namespace

std::string explain_infeasible(const LayoutProblem& problem) {
  std::vector<std::int64_t> counts;
  for (const CostTable& table : problem.tables) {
    const ComponentRule& rule = problem.layout.rule(table.component);
    const std::optional<std::int64_t> own = least_count(table, rule);
    if (!own)
      return fmt::format("{} has no task count that it may have: {}", table.component,
                         rule_text(table, rule));
    counts.push_back(*own);
  }
  std::size_t next = 0;
  const Least needed = least(problem.layout.expression, counts, next);
  if (needed.processors > problem.total) {
    return fmt::format("the layout {} does not fit on {} processors: it takes at least {} ({})",
                       to_string(problem.layout.expression), count(problem.total), count(needed.processors),
                       needed.text);
  }
  return explain_exact(problem);
}

}  // namespace plimsoll::pelayout
