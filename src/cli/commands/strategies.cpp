#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/commands.hpp"
#include "cli/options/listing_options.hpp"
#include "cli/terminal/parameter_listing.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* strategies_examples = R"(  plimsoll strategies                 list all strategies
  plimsoll strategies RefineLB        show one in detail, with its parameters
  plimsoll strategies ./libFooLB.so   a strategy of a plug-in)";

void write_json(support::JsonWriter& json, const balance::StrategyInfo& strategy) {
  json.begin_object().member("name", strategy.name).member("help", strategy.help);
  write_parameters(json.key("parameters"), strategy.parameters);
  json.key("aliases").begin_array();
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
  support::TextTable table({{"strategy"}, {"parameters"}, {"description"}});
  for (const balance::StrategyInfo& strategy : strategies) {
    table.add_row(
        {strategy.name, parameter_list(strategy.parameters, std::not_fn(is_shared)), strategy.help});
  }
  std::string shared;
  for (const balance::ParameterSpec& parameter : balance::Limits::parameters())
    shared += fmt::format("{}{}", shared.empty() ? "" : ", ", parameter.name);
  return table.to_string() + fmt::format("\nAll strategies also accept {}.\n", shared);
}

/// Formats the aliases: "Other names: A, B (kind=x).", or an empty string.
std::string other_names(const balance::StrategyInfo& strategy) {
  std::string names;
  for (const balance::StrategyAlias& alias : strategy.aliases) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", alias.name);
    for (const auto& [name, value] : alias.parameters) names += fmt::format(" ({}={})", name, value);
  }
  return names.empty() ? "" : fmt::format("Other names: {}.\n", names);
}

/// Describes a strategy. `name` is the name that the user specified: a strategy name, an alias, or the path
/// of a plug-in.
std::string details(const balance::StrategyInfo& strategy, const std::string& name,
                    const Terminal& terminal) {
  const std::string text = fmt::format("{}: {}\n{}", terminal.paint(Colour::bold, strategy.name),
                                       strategy.help, other_names(strategy));
  const balance::ParameterSpec& first = strategy.parameters.front();
  return text + "\n" + parameter_table(strategy.parameters) +
         fmt::format("\nplimsoll balance DIR --strategy {} --param {}={}\n", name, first.name,
                     balance::to_string(first.default_value));
}

}  // namespace

Command define_strategies(OptionParser& parser) {
  parser.set_examples(strategies_examples);
  return [options = add_listing_options(parser, "strategy")](Terminal& terminal) {
    balance::StrategyRegistry registry = balance::StrategyRegistry::builtin();
    const std::span<const balance::StrategyInfo> chosen =
        options->one() ? std::span(&registry.info(registry.resolve(options->name)), 1)
                       : std::span(registry.list());
    terminal.print(options->json    ? json_text(chosen)
                   : options->one() ? details(chosen.front(), options->name, terminal)
                                    : overview(chosen));
    return 0;
  };
}

}  // namespace plimsoll::cli
