#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <utility>

#include <plimsoll/pelayout/layout.hpp>
#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/yaml.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 20;

/// Reads the values of a layout file; every error contains the file and the line.
class LayoutReader {
 public:
  explicit LayoutReader(const std::string& file) : file_(file) {}

  Layout read(const YAML::Node& root) const {
    if (!root.IsMap()) fail(root, "not a layout: expected a mapping with the member \"layout\"");
    Layout layout;
    std::optional<LayoutExpression> expression;
    read_members(root, {{"name", into(layout.name, &LayoutReader::text)},
                        {"description", into(layout.description, &LayoutReader::text)},
                        {"layout", into(expression, &LayoutReader::expression)},
                        {"overhead", into(layout.overhead, &LayoutReader::non_negative)},
                        {"wait", into(layout.wait, &LayoutReader::non_negative)},
                        {"components", into(layout.rules, &LayoutReader::rules)}});
    if (!expression) fail(root, "missing member \"layout\": expected an expression");
    layout.expression = *expression;
    if (layout.name.empty()) layout.name = to_string(layout.expression);
    const std::vector<std::string> names = components(layout.expression);
    for (const auto& [component, rule] : layout.rules)
      if (std::ranges::find(names, component) == names.end())
        fail(root["components"], fmt::format("rules for unknown component {}: not in the layout", component));
    check_spans(root, layout, layout.expression, false);
    return layout;
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, std::string what, std::string suggestion = {}) const {
    throw support::yaml_error(node.Mark(), file_, std::move(what), std::move(suggestion));
  }

  template <class Variable, class Value>
  support::ReadYaml into(Variable& variable,
                         Value (LayoutReader::*reader)(const YAML::Node&, const std::string&) const) const {
    return [this, &variable, reader](const YAML::Node& value, const std::string& key) {
      variable = (this->*reader)(value, key);
    };
  }

  void read_members(const YAML::Node& mapping, const support::YamlMembers& members) const {
    support::read_yaml_members(mapping, file_, members);
  }

  std::string text(const YAML::Node& node, const std::string& key) const {
    if (!node.IsScalar()) fail(node, fmt::format("invalid value for {}: expected text", key));
    return node.Scalar();
  }

  LayoutExpression expression(const YAML::Node& node, const std::string& key) const {
    try {
      return parse_layout(text(node, key));
    } catch (const Error& error) {
      fail(node, error.diagnostic().what, error.diagnostic().suggestion);
    }
  }

  std::int64_t positive(const YAML::Node& node, const std::string& key) const {
    const auto number = node.as<std::int64_t>(0);
    if (number >= 1 && number <= max_count) return number;
    fail(node, fmt::format("invalid value for {}: must be an integer between 1 and {}", key, max_count));
  }

  std::int64_t base(const YAML::Node& node, const std::string& key) const {
    const std::int64_t number = positive(node, key);
    if (number < 2) fail(node, fmt::format("invalid value for {}: must be >= 2", key));
    return number;
  }

  double non_negative(const YAML::Node& node, const std::string& key) const {
    const auto number = node.as<double>(-1);
    if (number >= 0 && number <= max_cost) return number;
    fail(node, fmt::format("invalid value for {}: must be a number between 0 and {}", key, max_cost));
  }

  bool truth(const YAML::Node& node, const std::string& key) const {
    const std::string word = text(node, key);
    if (word != "true" && word != "false")
      fail(node, fmt::format("invalid value for {}: expected true or false", key));
    return word == "true";
  }

  std::vector<std::int64_t> counts(const YAML::Node& node, const std::string& key) const {
    if (!node.IsSequence() || node.size() == 0)
      fail(node, fmt::format("invalid value for {}: expected a list of task counts", key));
    std::vector<std::int64_t> numbers;
    for (const YAML::Node& entry : node) numbers.push_back(positive(entry, key));
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  /// Checks that each spanning component is part of a sequence, and that no other component spans the same
  /// sequence.
  void check_spans(const YAML::Node& root, const Layout& layout, const LayoutExpression& part,
                   bool spanned) const {
    if (part.kind == LayoutExpression::Kind::component && layout.rule(part.component).spans && !spanned)
      fail(
          root["components"],
          fmt::format("spans: {} is not part of a sequence, or another component already spans that sequence",
                      part.component));
    const auto spanning = layout.spanning_part(part);
    for (std::size_t k = 0; k < part.parts.size(); ++k)
      check_spans(root, layout, part.parts[k],
                  part.kind == LayoutExpression::Kind::sequence && k == spanning);
  }

  std::map<std::string, ComponentRule> rules(const YAML::Node& node, const std::string& key) const {
    if (!node.IsMap())
      fail(node, fmt::format("invalid value for {}: expected a mapping from components to their rules", key));
    std::map<std::string, ComponentRule> result;
    for (const auto& member : node) {
      const std::string name = support::upper_case(text(member.first, "a component"));
      if (!result.emplace(name, rule(member.second, name)).second)
        fail(member.first, fmt::format("duplicate rules of {}", name));
    }
    return result;
  }

  ComponentRule rule(const YAML::Node& node, const std::string& component) const {
    if (!node.IsMap()) fail(node, fmt::format("invalid rules of {}: expected a mapping", component));
    ComponentRule rule;
    // Earlier names are still accepted.
    for (const auto& [name, earlier] : {std::pair("min", "least"), std::pair("max", "most")})
      if (node[name] && node[earlier])
        fail(node, fmt::format("invalid rules of {}: {} and {} are names of the same rule", component, name,
                               earlier));
    read_members(node, {{"min", into(rule.minimum, &LayoutReader::positive)},
                        {"max", into(rule.maximum, &LayoutReader::positive)},
                        {"least", into(rule.minimum, &LayoutReader::positive)},
                        {"most", into(rule.maximum, &LayoutReader::positive)},
                        {"fixed", into(rule.fixed, &LayoutReader::positive)},
                        {"multiple_of", into(rule.multiple_of, &LayoutReader::positive)},
                        {"power_of", into(rule.power_of, &LayoutReader::base)},
                        {"allowed", into(rule.allowed, &LayoutReader::counts)},
                        {"blocksize", into(rule.block_size, &LayoutReader::positive)},
                        {"spans", into(rule.spans, &LayoutReader::truth)},
                        {"overhead", into(rule.overhead, &LayoutReader::non_negative)},
                        {"wait", into(rule.wait, &LayoutReader::non_negative)}});
    if (rule.minimum > rule.maximum)
      fail(node, fmt::format("invalid rules of {}: min ({}) exceeds max ({})", component, rule.minimum,
                             rule.maximum));
    return rule;
  }

  std::string file_;
};

}  // namespace

Layout parse_layout_file(std::string_view yaml, const std::string& file) {
  return LayoutReader(file).read(support::parse_yaml(yaml, file));
}

Layout read_layout_file(const std::string& path) {
  return parse_layout_file(support::read_text_file(path, max_bytes), path);
}

}  // namespace plimsoll::pelayout
