#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/text_file.hpp>
#include <plimsoll/support/yaml.hpp>

namespace plimsoll::pelayout {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20;

/// Reads the values of a layout file; every complaint has the file and the line.
class LayoutReader {
 public:
  explicit LayoutReader(const std::string& file) : file_(file) {}

  Layout read(const YAML::Node& root) {
    if (!root.IsMap()) fail(root, "is no layout: no mapping with a member \"layout\"");
    Layout layout;
    bool has_expression = false;
    for (const auto& member : root) {
      const std::string key = text(member.first, "a key");
      const YAML::Node& value = member.second;
      once(member.first, key, "");
      if (key == "name") {
        layout.name = text(value, key);
      } else if (key == "description") {
        layout.description = text(value, key);
      } else if (key == "layout") {
        layout.expression = expression(value);
        has_expression = true;
      } else if (key == "overhead") {
        layout.overhead = non_negative(value, key);
      } else if (key == "wait") {
        layout.wait = non_negative(value, key);
      } else if (key == "components") {
        layout.rules = rules(value);
      } else {
        unknown(member.first, key, {"name", "description", "layout", "overhead", "wait", "components"});
      }
    }
    if (!has_expression) fail(root, "has no member \"layout\" with an expression");
    if (layout.name.empty()) layout.name = to_string(layout.expression);
    const std::vector<std::string> names = components(layout.expression);
    for (const auto& [component, rule] : layout.rules) {
      if (std::ranges::find(names, component) == names.end())
        fail(root["components"], fmt::format("has rules for {}, which its layout has not", component));
    }
    check_spans(root, layout, layout.expression, false);
    return layout;
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, std::string what, std::string suggestion = {}) const {
    throw support::yaml_error(node.Mark(), file_, std::move(what), std::move(suggestion));
  }

  std::string text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, fmt::format("{} is no text", key));
    return node.Scalar();
  }

  LayoutExpression expression(const YAML::Node& node) const {
    try {
      return parse_layout(text(node, "layout"));
    } catch (const Error& error) {
      fail(node, error.diagnostic().what, error.diagnostic().suggestion);
    }
  }

  std::int64_t positive(const YAML::Node& node, const std::string& key) const {
    try {
      const auto number = node.as<std::int64_t>();
      if (number >= 1 && number <= greatest_count) return number;
    } catch (const YAML::Exception&) {
    }
    fail(node, fmt::format("{} is no whole number from 1 to {}", key, greatest_count));
  }

  double non_negative(const YAML::Node& node, const std::string& key) const {
    try {
      if (const auto number = node.as<double>(); number >= 0 && number <= greatest_cost) return number;
    } catch (const YAML::Exception&) {
    }
    fail(node, fmt::format("{} is no number from 0 to {}", key, greatest_cost));
  }

  bool truth(const YAML::Node& node, const std::string& key) const {
    const std::string word = text(node, key);
    if (word != "true" && word != "false") fail(node, fmt::format("{} is neither true nor false", key));
    return word == "true";
  }

  std::vector<std::int64_t> counts(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence() || node.size() == 0) fail(node, fmt::format("{} is no list of task counts", key));
    std::vector<std::int64_t> numbers;
    for (const YAML::Node& entry : node) numbers.push_back(positive(entry, key));
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  /// What spans must be part of a sequence, and its only part that does.
  void check_spans(const YAML::Node& root, const Layout& layout, const LayoutExpression& part,
                   bool spanned) const {
    if (part.kind == LayoutExpression::Kind::component && layout.rule(part.component).spans && !spanned)
      fail(root["components"],
           fmt::format("has {} span what is no sequence, or is spanned already", part.component));
    const auto spanning = layout.spanning_part(part);
    for (std::size_t k = 0; k < part.parts.size(); ++k)
      check_spans(root, layout, part.parts[k],
                  part.kind == LayoutExpression::Kind::sequence && k == spanning);
  }

  std::map<std::string, ComponentRule> rules(const YAML::Node& node) {
    if (!node.IsMap()) fail(node, "components is no mapping from components to their rules");
    std::map<std::string, ComponentRule> result;
    for (const auto& member : node) {
      const std::string name = support::upper_case(text(member.first, "a component"));
      if (!result.emplace(name, rule(member.second, name)).second)
        fail(member.first, fmt::format("has {} twice", name));
    }
    return result;
  }

  ComponentRule rule(const YAML::Node& node, const std::string& component) {
    if (!node.IsMap()) fail(node, fmt::format("the rules of {} are no mapping", component));
    ComponentRule rule;
    for (const auto& member : node) {
      const std::string key = text(member.first, "a key");
      const YAML::Node& value = member.second;
      once(member.first, key, component);
      if (key == "least") {
        rule.least = positive(value, key);
      } else if (key == "most") {
        rule.most = positive(value, key);
      } else if (key == "fixed") {
        rule.fixed = positive(value, key);
      } else if (key == "multiple_of") {
        rule.multiple_of = positive(value, key);
      } else if (key == "power_of") {
        if (rule.power_of = positive(value, key); *rule.power_of < 2) fail(value, "power_of is less than 2");
      } else if (key == "allowed") {
        rule.allowed = counts(value, key);
      } else if (key == "blocksize") {
        rule.block_size = positive(value, key);
      } else if (key == "spans") {
        rule.spans = truth(value, key);
      } else if (key == "overhead") {
        rule.overhead = non_negative(value, key);
      } else if (key == "wait") {
        rule.wait = non_negative(value, key);
      } else {
        unknown(member.first, key,
                {"least", "most", "fixed", "multiple_of", "power_of", "allowed", "blocksize", "spans",
                 "overhead", "wait"});
      }
    }
    if (rule.least > rule.most)
      fail(node,
           fmt::format("{} may have at least {} tasks, and at most {}", component, rule.least, rule.most));
    return rule;
  }

  void once(const YAML::Node& node, const std::string& key, const std::string& component) {
    if (!seen_.insert({component, key}).second) fail(node, fmt::format("has {} twice", key));
  }

  [[noreturn]] void unknown(const YAML::Node& node, const std::string& key,
                            const std::vector<std::string>& known) const {
    const std::string meant = support::nearest(key, known);
    fail(node, fmt::format("has an unknown member \"{}\"", key),
         meant.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                       : fmt::format("did you mean \"{}\"?", meant));
  }

  std::string file_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

Layout parse_layout_file(std::string_view yaml, const std::string& file) {
  return LayoutReader(file).read(support::parse_yaml(yaml, file));
}

Layout read_layout_file(const std::string& path) {
  return parse_layout_file(support::read_text_file(path, max_bytes), path);
}

}  // namespace plimsoll::pelayout
