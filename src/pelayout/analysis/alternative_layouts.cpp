#include "pelayout/analysis/alternative_layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

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
  LayoutExpression sequence;
  sequence.kind = Kind::sequence;
  for (const LayoutExpression& part : parts) {
    if (part.kind == Kind::sequence) {
      sequence.parts.insert(sequence.parts.end(), part.parts.begin(), part.parts.end());
    } else {
      sequence.parts.push_back(part);
    }
  }
  return sequence;
}

/// Converts an expression so that concurrent parts run in sequence: in group number `which`, counted from the
/// innermost left, or in all groups.
class Serialiser {
 public:
  static constexpr std::size_t all = static_cast<std::size_t>(-1);

  explicit Serialiser(std::size_t which) : which_(which) {}

  LayoutExpression operator()(const LayoutExpression& expression) {
    if (expression.kind == Kind::component) return expression;
    LayoutExpression result;
    result.kind = expression.kind;
    for (const LayoutExpression& part : expression.parts) result.parts.push_back((*this)(part));
    if (expression.kind == Kind::sequence) return in_sequence(result.parts);
    const std::size_t number = seen_++;
    return which_ == all || which_ == number ? in_sequence(result.parts) : result;
  }

  std::size_t seen() const { return seen_; }

 private:
  std::size_t which_;
  std::size_t seen_ = 0;
};

Layout by_expression(LayoutExpression expression) {
  Layout layout;
  layout.name = to_string(expression);
  layout.expression = std::move(expression);
  return layout;
}

std::vector<Layout> serialised(const LayoutExpression& expression) {
  Serialiser all(Serialiser::all);
  std::vector<Layout> layouts{by_expression(all(expression))};
  for (std::size_t which = 0; which < all.seen(); ++which)
    layouts.push_back(by_expression(Serialiser(which)(expression)));
  return layouts;
}

using Pairs = std::set<std::pair<std::string, std::string>>;

void append_concurrent_pairs(const LayoutExpression& expression, Pairs& pairs) {
  for (std::size_t k = 0; k < expression.parts.size(); ++k) {
    append_concurrent_pairs(expression.parts[k], pairs);
    for (std::size_t before = 0; expression.kind == Kind::side_by_side && before < k; ++before) {
      for (const std::string& one : components(expression.parts[before]))
        for (const std::string& other : components(expression.parts[k]))
          pairs.insert(std::minmax(one, other));
    }
  }
}

/// Returns the pairs of components that run concurrently; the names of a pair are sorted.
Pairs concurrent_pairs(const LayoutExpression& expression) {
  Pairs pairs;
  append_concurrent_pairs(expression, pairs);
  return pairs;
}

/// Returns whether CIME's driver lets two components run concurrently. The ocean depends on no other
/// component of the same step; sea ice, land and waves do not depend on each other.
bool driver_permits(const std::pair<std::string, std::string>& pair) {
  constexpr std::array<std::string_view, 4> independent = {"ICE", "LND", "ROF", "WAV"};
  const auto is_independent = [&](const std::string& name) {
    return std::ranges::find(independent, name) != independent.end();
  };
  if (pair.first == "OCN" || pair.second == "OCN") return true;
  const bool rivers_follow_land = pair.first == "LND" && pair.second == "ROF";
  return is_independent(pair.first) && is_independent(pair.second) && !rivers_follow_land;
}

}  // namespace

std::vector<Layout> alternative_layouts(const Layout& layout) {
  // Names of built-in layouts take precedence over generated names.
  std::vector<Layout> bases;
  for (const Layout& built_in : built_in_layouts()) {
    if (sorted_components(built_in.expression) == sorted_components(layout.expression))
      bases.push_back(built_in);
  }
  bases.push_back(layout);
  bases.push_back(by_expression(usual_arrangement(components(layout.expression))));
  std::vector<Layout> candidates = bases;
  for (const Layout& base : bases) {
    for (Layout& variant : serialised(base.expression)) candidates.push_back(std::move(variant));
  }
  std::set<std::string> known{arrangement(layout.expression)};
  const Pairs concurrent = concurrent_pairs(layout.expression);
  const auto permitted = [&](const Layout& candidate) {
    return std::ranges::all_of(concurrent_pairs(candidate.expression), [&](const auto& pair) {
      return concurrent.contains(pair) || driver_permits(pair);
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
