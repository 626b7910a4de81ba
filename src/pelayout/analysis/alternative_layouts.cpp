#include "pelayout/analysis/alternative_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "pelayout/layout/default_layout.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

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
