#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/layout/default_layout.hpp"
#include "pelayout/layout/names.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

constexpr std::size_t max_depth = 100;
constexpr std::size_t max_text = 10'000;

/// Recursive-descent parser: expression := term { ';' term } | term { '|' term }; term := NAME | '('
/// expression ')'.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  LayoutExpression parse() {
    if (text_.size() > max_text) fail("too long");
    expect_balanced_parentheses();
    LayoutExpression expression = parse_expression(0);
    if (skip_blanks(); at_ < text_.size()) fail_at_next_term();
    return expression;
  }

 private:
  /// Checks parentheses first, because a missing one also changes the meaning of the operators behind it.
  void expect_balanced_parentheses() {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '(') open.push_back(at);
      if (text_[at] != ')') continue;
      if (open.empty()) fail_at_parenthesis(at, "add the ( that it closes, or remove it");
      open.pop_back();
    }
    if (!open.empty()) fail_at_parenthesis(open.back(), "add the ) that closes it, or remove it");
  }

  [[noreturn]] void fail_at_parenthesis(std::size_t at, const std::string& suggestion) {
    at_ = at;
    fail(fmt::format("unmatched {}", text_[at]), suggestion);
  }

  [[noreturn]] void fail_at_next_term() const {
    fail(is_word(text_[at_]) || text_[at_] == '(' ? "missing ; or |" : "unexpected character");
  }

  LayoutExpression parse_expression(std::size_t depth) {
    LayoutExpression first = parse_term(depth);
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != ';' && text_[at_] != '|')) return first;
    const char sign = text_[at_];
    LayoutExpression group{sign == ';' ? Kind::sequence : Kind::side_by_side, "", {}};
    append(group, std::move(first));
    while (at_ < text_.size() && text_[at_] == sign) {
      ++at_;
      append(group, parse_term(depth));
      skip_blanks();
    }
    if (at_ < text_.size() && (text_[at_] == ';' || text_[at_] == '|'))
      fail("; and | mixed without parentheses", "set parentheses: (A | B) ; C or A | (B ; C)");
    return group;
  }

  LayoutExpression parse_term(std::size_t depth) {
    skip_blanks();
    if (at_ == text_.size()) fail("missing component at the end");
    if (text_[at_] == '(') {
      if (depth == max_depth) fail("nested too deeply");
      ++at_;
      LayoutExpression inner = parse_expression(depth + 1);
      if (skip_blanks(); text_[at_] != ')') fail_at_next_term();
      ++at_;
      return inner;
    }
    return parse_component();
  }

  LayoutExpression parse_component() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin) fail("missing component");
    std::string name = support::upper_case(text_.substr(begin, at_ - begin));
    if (!seen_.insert(name).second) {
      at_ = begin;
      fail(fmt::format("duplicate component {}", name));
    }
    return {Kind::component, std::move(name), {}};
  }

  /// Appends a part and flattens groups of the same kind: (A ; B) ; C is A ; B ; C.
  static void append(LayoutExpression& group, LayoutExpression part) {
    if (part.kind == group.kind)
      std::ranges::move(part.parts, std::back_inserter(group.parts));
    else
      group.parts.push_back(std::move(part));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& suggestion = {}) const {
    constexpr std::size_t shown = 60;
    const std::size_t from = at_ > shown ? at_ - shown : 0;
    throw support::bad_input(
        fmt::format("invalid layout: {} at character {}: {}{} <-- here", what, at_ + 1, from > 0 ? "..." : "",
                    text_.substr(from, at_ + 1 - from)),
        "", suggestion.empty() ? "use a form such as ((ICE | LND) ; ATM) | OCN" : suggestion);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::set<std::string> seen_;
};

bool is_power(std::int64_t number, std::int64_t base) {
  if (base < 2) return number == 1;
  while (number % base == 0) number /= base;
  return number == 1;
}

/// Components of CIME's layouts; all others extend them.
constexpr std::array<std::string_view, 5> basic = {"ICE", "LND", "WAV", "ATM", "OCN"};
constexpr std::array<std::string_view, 8> e3sm_models = {"EAM",    "EAMXX", "SCREAM",    "ELM",
                                                         "MPASSI", "MPASO", "MPAS-CICE", "MPASLI"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

std::vector<std::string> active_components(const Problem& problem) {
  std::vector<std::string> names;
  for (const Component& component : problem.components)
    if (std::ranges::any_of(component.samples, [](const Sample& sample) { return sample.cost > 0; }))
      names.push_back(component.name);
  return names;
}

bool is_e3sm(const Problem& problem) {
  return std::ranges::any_of(
      problem.components, [](const Component& component) { return contains(e3sm_models, component.model); });
}

/// Joins the parts with an operator, in parentheses if they are several.
std::string joined(const std::vector<std::string>& parts, const char* separator) {
  const std::string text = fmt::format("{}", fmt::join(parts, separator));
  return parts.size() > 1 ? "(" + text + ")" : text;
}

std::vector<std::string> those_of(const std::vector<std::string>& active,
                                  std::initializer_list<const char*> names) {
  std::vector<std::string> found;
  for (const char* name : names)
    if (contains(active, name)) found.emplace_back(name);
  return found;
}

double best_cost(const Component& component) {
  return component.samples.empty() ? 0 : std::ranges::min(component.samples, {}, &Sample::cost).cost;
}

Layout built_in(const char* name, const char* expression, const char* description) {
  return {.name = name, .description = description, .expression = parse_layout(expression)};
}

/// Restricts components to the processors of the atmosphere: sea ice, land and all others that run before it.
/// Section 3 of the documentation of CIME's tool describes this rule.
Layout spanned_by_atmosphere(Layout layout) {
  layout.rules["ATM"].spans = true;
  return layout;
}

constexpr const char* sequential = "Sequential";

Layout in_sequence(std::span<const std::string> available) {
  if (available.empty())
    throw support::bad_input("no components for the layout Sequential: expected at least one");
  return built_in(sequential, fmt::format("{}", fmt::join(available, " ; ")).c_str(),
                  "all components in sequence on all processors");
}

bool is_name(std::string_view text) {
  return text.find_first_of(" ;|()\t\n") == std::string_view::npos;
}

std::string what_is_meant(const std::string& name, const std::vector<std::string>& names,
                          const std::string& text) {
  const std::string otherwise =
      name != text ? "set PLIMSOLL_LAYOUT_PYTHON to the path of examples/layout_python/plimsoll_layout.py to "
                     "use a Python class"
                   : fmt::format("use one of {}, an expression such as '(ATM ; LND) | OCN', or a .yaml file",
                                 fmt::join(names, ", "));
  return support::did_you_mean(name, names, otherwise, support::NameStyle::bare);
}

}  // namespace

LayoutExpression parse_layout(std::string_view text) {
  return Parser(text).parse();
}

std::string to_string(const LayoutExpression& expression) {
  if (expression.kind == Kind::component) return expression.component;
  std::string text;
  for (const LayoutExpression& part : expression.parts) {
    if (!text.empty()) text += expression.kind == Kind::sequence ? " ; " : " | ";
    text += part.kind == Kind::component ? part.component : "(" + to_string(part) + ")";
  }
  return text;
}

std::vector<std::string> components(const LayoutExpression& expression) {
  if (expression.kind == Kind::component) return {expression.component};
  std::vector<std::string> names;
  for (const LayoutExpression& part : expression.parts)
    std::ranges::move(components(part), std::back_inserter(names));
  return names;
}

bool ComponentRule::admits(std::int64_t tasks) const {
  if (tasks < 1 || tasks < minimum || tasks > maximum) return false;
  if (fixed && tasks != *fixed) return false;
  if (multiple_of && tasks % *multiple_of != 0) return false;
  if (power_of && !is_power(tasks, *power_of)) return false;
  return allowed.empty() || std::ranges::binary_search(allowed, tasks);
}

const ComponentRule& Layout::rule(const std::string& component) const {
  static const ComponentRule none;
  const auto found = rules.find(component);
  return found == rules.end() ? none : found->second;
}

std::optional<std::size_t> Layout::spanning_part(const LayoutExpression& sequence) const {
  if (sequence.kind != LayoutExpression::Kind::sequence) return std::nullopt;
  const auto found = std::ranges::find_if(sequence.parts, [&](const LayoutExpression& part) {
    return part.kind == LayoutExpression::Kind::component && rule(part.component).spans;
  });
  if (found == sequence.parts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sequence.parts.begin());
}

bool is_cheap(const Problem& problem, const std::string& component) {
  constexpr double cheap_share = 0.01;
  double longest = 0;
  for (const Component& other : problem.components) longest = std::max(longest, best_cost(other));
  const double cost = best_cost(*problem.find(component));
  return cost > 0 && cost < cheap_share * longest;
}

LayoutExpression usual_arrangement(const std::vector<std::string>& components,
                                   const std::vector<std::string>& cheap) {
  PLIMSOLL_EXPECT(!components.empty());
  const auto is_worth_processors = [&](const std::vector<std::string>& part) {
    return std::ranges::any_of(part, [&](const std::string& name) { return !contains(cheap, name); });
  };
  std::vector<std::string> before;
  std::vector<std::string> after = those_of(components, {"ATM"});
  const std::vector<std::vector<std::string>> surface = {
      those_of(components, {"ICE"}), those_of(components, {"LND", "ROF"}), those_of(components, {"WAV"})};
  for (const std::vector<std::string>& part : surface)
    if (is_worth_processors(part))
      before.push_back(joined(part, " ; "));
    else
      std::ranges::copy(part, std::back_inserter(after));
  const std::vector<std::string> ocean = those_of(components, {"OCN"});
  for (const std::string& name : components)
    if ((!contains(basic, name) && name != "ROF" && name != "CPL") ||
        (name == "OCN" && !is_worth_processors(ocean)))
      after.push_back(name);
  std::ranges::copy(those_of(components, {"CPL"}), std::back_inserter(after));

  std::vector<std::string> chain;
  if (!before.empty()) chain.push_back(joined(before, " | "));
  chain.insert(chain.end(), after.begin(), after.end());
  std::vector<std::string> all;
  if (!chain.empty()) all.push_back(joined(chain, " ; "));
  if (is_worth_processors(ocean)) all.emplace_back("OCN");
  return parse_layout(joined(all, " | "));
}

LayoutExpression concurrent_arrangement(const std::vector<std::string>& components) {
  PLIMSOLL_EXPECT(!components.empty());
  LayoutExpression concurrent{.kind = Kind::side_by_side, .component = {}, .parts = {}};
  for (const std::string& name : components)
    concurrent.parts.push_back({.kind = Kind::component, .component = name, .parts = {}});
  return concurrent.parts.size() == 1 ? LayoutExpression(concurrent.parts.front()) : concurrent;
}

bool driver_permits(const std::pair<std::string, std::string>& pair) {
  constexpr std::array<std::string_view, 4> independent = {"ICE", "LND", "ROF", "WAV"};
  const auto is_independent = [&](const std::string& name) {
    return std::ranges::find(independent, name) != independent.end();
  };
  if (pair.first == "OCN" || pair.second == "OCN") return true;
  const bool rivers_follow_land = pair.first == "LND" && pair.second == "ROF";
  return is_independent(pair.first) && is_independent(pair.second) && !rivers_follow_land;
}

Layout default_layout(const Problem& problem) {
  const std::vector<std::string> active = active_components(problem);
  const bool extended = std::ranges::any_of(active, [](const auto& name) { return !contains(basic, name); });
  const std::vector<std::string> names = problem.component_names();
  if (problem.coupler == Coupler::oasis) {
    Layout concurrent{.expression = concurrent_arrangement(active.empty() ? names : active)};
    concurrent.name = to_string(concurrent.expression);
    return concurrent;
  }
  const bool complete = those_of(names, {"ICE", "LND", "ATM", "OCN"}).size() == 4;
  std::vector<std::string> cheap;
  std::ranges::copy_if(active, std::back_inserter(cheap),
                       [&](const std::string& name) { return is_cheap(problem, name); });
  if (active.empty() || (complete && !extended && cheap.empty()))
    return find_layout(contains(active, "WAV") ? "IceLndWavAtmOcn" : "IceLndAtmOcn", names);
  const LayoutExpression expression = usual_arrangement(active, cheap);
  Layout e3sm = find_layout("E3SM", names);
  if (is_e3sm(problem) && expression == e3sm.expression) return e3sm;
  return find_layout("(" + to_string(expression) + ")", names);
}

std::span<const Layout> built_in_layouts() {
  static const std::vector<Layout> layouts{
      spanned_by_atmosphere(
          built_in("IceLndAtmOcn", "((ICE | LND) ; ATM) | OCN",
                   "usual CESM layout: sea ice and land, then the atmosphere; the ocean runs concurrently")),
      spanned_by_atmosphere(built_in("IceLndWavAtmOcn", "((LND | ICE | WAV) ; ATM) | OCN",
                                     "IceLndAtmOcn with waves that run concurrently with sea ice and land")),
      built_in("AtmLnd", "(ATM ; ROF ; CPL) | (LND ; ICE ; OCN)",
               "atmosphere, rivers and coupler run concurrently with land, sea ice and ocean"),
      built_in("E3SM", "((ICE | (LND ; ROF)) ; ATM ; CPL) | OCN",
               "usual E3SM layout: rivers on the land's processors, the coupler on the atmosphere's"),
      built_in("AtmOcn", "(ICE ; LND ; ATM) | OCN",
               "sea ice, land and atmosphere in sequence; the ocean runs concurrently"),
  };
  return layouts;
}

bool is_layout_file(std::string_view text) {
  return text.ends_with(".yaml") || text.ends_with(".yml");
}

Layout find_layout(const std::string& text, std::span<const std::string> available) {
  if (is_layout_file(text)) return read_layout_file(text);
  if (!is_name(text)) {
    Layout layout;
    layout.expression = parse_layout(text);
    layout.name = to_string(layout.expression);
    return layout;
  }
  const std::string name = text.substr(text.rfind('.') + 1);
  if (name == sequential) return in_sequence(available);
  std::vector<std::string> names{sequential};
  for (const Layout& layout : built_in_layouts()) {
    if (layout.name == name) return layout;
    names.push_back(layout.name);
  }
  throw support::usage_error(fmt::format("unknown layout {}", support::in_quotes(text)),
                             what_is_meant(name, names, text));
}

}  // namespace plimsoll::pelayout
