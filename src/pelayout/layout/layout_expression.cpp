#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/format.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using Kind = LayoutExpression::Kind;

constexpr std::size_t max_depth = 100;
constexpr std::size_t max_text = 10'000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

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
    if (part.kind != group.kind) {
      group.parts.push_back(std::move(part));
      return;
    }
    std::ranges::move(part.parts, std::back_inserter(group.parts));
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

void append_text(const LayoutExpression& expression, std::string& text) {
  if (expression.kind == Kind::component) {
    text += expression.component;
    return;
  }
  for (std::size_t k = 0; k < expression.parts.size(); ++k) {
    if (k > 0) text += expression.kind == Kind::sequence ? " ; " : " | ";
    const bool group = expression.parts[k].kind != Kind::component;
    if (group) text += '(';
    append_text(expression.parts[k], text);
    if (group) text += ')';
  }
}

void append_components(const LayoutExpression& expression, std::vector<std::string>& names) {
  if (expression.kind == Kind::component) names.push_back(expression.component);
  for (const LayoutExpression& part : expression.parts) append_components(part, names);
}

}  // namespace

LayoutExpression parse_layout(std::string_view text) {
  return Parser(text).parse();
}

std::string to_string(const LayoutExpression& expression) {
  std::string text;
  append_text(expression, text);
  return text;
}

std::vector<std::string> components(const LayoutExpression& expression) {
  std::vector<std::string> names;
  append_components(expression, names);
  return names;
}

namespace {

bool is_power(std::int64_t number, std::int64_t base) {
  if (base < 2) return number == 1;
  while (number % base == 0) number /= base;
  return number == 1;
}

}  // namespace

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

}  // namespace plimsoll::pelayout
