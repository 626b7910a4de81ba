#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy_registry.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

#include "cli/commands.hpp"
#include "cli/input_options.hpp"

namespace plimsoll::cli {

namespace {

struct StrategiesOptions {
  std::string name;
  bool json = false;
};

constexpr const char* examples = R"(  plimsoll strategies                 all strategies
  plimsoll strategies RefineLB        one in detail, with its parameters
  plimsoll strategies ./libFooLB.so   that of a plug-in)";

void write_json(support::JsonWriter& json, const balance::StrategyInfo& strategy) {
  json.begin_object().member("name", strategy.name).member("help", strategy.help);
  json.key("parameters").begin_array();
  for (const balance::ParameterSpec& parameter : strategy.parameters) {
    json.begin_object()
        .member("name", parameter.name)
        .member("type", balance::type_name(parameter.default_value));
    std::visit([&](const auto& value) { json.member("default", value); }, parameter.default_value);
    json.member("help", parameter.help).end_object();
  }
  json.end_array().key("aliases").begin_array();
  for (const balance::StrategyAlias& alias : strategy.aliases) json.value(alias.name);
  json.end_array().end_object();
}

std::string json_text(std::span<const balance::StrategyInfo> strategies) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().key("strategies").begin_array();
  for (const balance::StrategyInfo& strategy : strategies) write_json(json, strategy);
  json.end_array().end_object();
  return text + '\n';
}

bool is_shared(const balance::ParameterSpec& parameter) {
  return std::ranges::count(balance::Limits::parameters(), parameter.name, &balance::ParameterSpec::name) > 0;
}

std::string overview(std::span<const balance::StrategyInfo> strategies) {
  support::TextTable table({{"strategy"}, {"parameters"}, {"what it does"}});
  for (const balance::StrategyInfo& strategy : strategies) {
    std::string parameters;
    for (const balance::ParameterSpec& parameter : strategy.parameters) {
      if (is_shared(parameter)) continue;
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", parameter.name,
                                balance::to_string(parameter.default_value));
    }
    table.add_row({strategy.name, parameters, strategy.help});
  }
  std::string shared;
  for (const balance::ParameterSpec& parameter : balance::Limits::parameters())
    shared += fmt::format("{}{}", shared.empty() ? "" : ", ", parameter.name);
  return table.to_string() + fmt::format("\nAll take {} as well.\n", shared);
}

/// "is known as A, B too", or nothing.
std::string other_names(const balance::StrategyInfo& strategy) {
  std::string names;
  for (const balance::StrategyAlias& alias : strategy.aliases) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", alias.name);
    for (const auto& [name, value] : alias.parameters) names += fmt::format(" ({}={})", name, value);
  }
  return names.empty() ? "" : fmt::format("Other names: {}.\n", names);
}

/// A parameter's name, and the names that users of other systems know.
std::string all_names(const balance::ParameterSpec& parameter) {
  std::string names = parameter.name;
  for (const std::string& alias : parameter.aliases) names += ", " + alias;
  return names;
}

/// `name` is what the user called it: its name, an alias, or the path of a plug-in.
std::string details(const balance::StrategyInfo& strategy, const std::string& name,
                    const Terminal& terminal) {
  const std::string text = fmt::format("{}: {}\n{}", terminal.paint(Colour::bold, strategy.name),
                                       strategy.help, other_names(strategy));
  support::TextTable table({{"parameter"}, {"type"}, {"default"}, {"meaning"}});
  for (const balance::ParameterSpec& parameter : strategy.parameters) {
    table.add_row({all_names(parameter), balance::type_name(parameter.default_value),
                   balance::to_string(parameter.default_value), parameter.help});
  }
  const balance::ParameterSpec& first = strategy.parameters.front();
  return text + "\n" + table.to_string() +
         fmt::format("\nplimsoll balance DIR --strategy {} --param {}={}\n", name, first.name,
                     balance::to_string(first.default_value));
}

}  // namespace

Command define_strategies(CLI::App& app) {
  auto options = std::make_shared<StrategiesOptions>();
  app.footer(examples);
  app.add_option("NAME", options->name, "Show this strategy alone, in detail");
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
    const bool one = !options->name.empty();
    const std::span<const balance::StrategyInfo> chosen =
        one ? std::span(&registry.info(registry.resolve(options->name)), 1) : std::span(registry.list());
    terminal.print(options->json ? json_text(chosen)
                   : one         ? details(chosen.front(), options->name, terminal)
                                 : overview(chosen));
    return 0;
  };
}

}  // namespace plimsoll::cli
