#include <plimsoll/balance/limits.hpp>
#include <plimsoll/balance/strategy.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace balance;

/// Options of a subcommand that lists all items of one kind, or shows one of them in detail.
struct ListingOptions {
  std::string name;  ///< name of the item; empty for all
  bool json = false;

  bool one() const { return !name.empty(); }
};

/// Adds NAME and --json, for items of `kind`, such as "model".
std::shared_ptr<ListingOptions> add_listing_options(OptionParser& parser, const std::string& kind,
                                                    const std::vector<std::string>& names) {
  auto options = std::make_shared<ListingOptions>();
  parser.add_option("NAME", options->name, "Show only this " + kind + ", in detail").suggests(names);
  add_json_option(parser, options->json);
  return options;
}

/// Formats parameters with their defaults: "seed=1 tolerance=1.02".
std::string parameter_list(const std::vector<ParameterSpec>& parameters) {
  return joined(parameters, " ", [](const ParameterSpec& parameter) {
    return fmt::format("{}={}", parameter.name, to_string(parameter.default_value));
  });
}

void write_parameters(support::JsonWriter& json, const std::vector<ParameterSpec>& parameters) {
  json.begin_array();
  for (const ParameterSpec& parameter : parameters) {
    json.begin_object().member("name", parameter.name).member("type", type_name(parameter.default_value));
    std::visit([&](const auto& value) { json.member("default", value); }, parameter.default_value);
    json.member("help", parameter.help).end_object();
  }
  json.end_array();
}

constexpr const char* strategies_examples = R"(  plimsoll strategies                 list all strategies
  plimsoll strategies RefineLB        show one in detail, with its parameters
  plimsoll strategies ./libFooLB.so   a strategy of a plug-in)";

void write_json(support::JsonWriter& json, const StrategyInfo& strategy) {
  json.begin_object().member("name", strategy.name).member("help", strategy.help);
  write_parameters(json.key("parameters"), strategy.parameters);
  json.key("aliases").begin_array();
  for (const StrategyAlias& alias : strategy.aliases) json.value(alias.name);
  json.end_array().end_object();
}

std::string json_text(std::span<const StrategyInfo> strategies) {
  return json_line([&](support::JsonWriter& json) {
    json.key("strategies").begin_array();
    for (const StrategyInfo& strategy : strategies) write_json(json, strategy);
    json.end_array();
  });
}

bool is_shared(const ParameterSpec& parameter) {
  return std::ranges::count(Limits::parameters(), parameter.name, &ParameterSpec::name) > 0;
}

std::string overview(std::span<const StrategyInfo> strategies) {
  support::TextTable table({{"strategy"}, {"parameters"}, {"description"}});
  for (const StrategyInfo& strategy : strategies) {
    std::vector<ParameterSpec> own = strategy.parameters;
    std::erase_if(own, is_shared);
    table.add_row({strategy.name, parameter_list(own), strategy.help});
  }
  return table.to_string(Terminal::width()) +
         fmt::format("\nAll strategies also accept {}.\n",
                     joined(Limits::parameters(), ", ", &ParameterSpec::name));
}

/// Formats the aliases: "Other names: A, B (kind=x).", or an empty string.
std::string other_names(const StrategyInfo& strategy) {
  std::string names;
  for (const StrategyAlias& alias : strategy.aliases) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", alias.name);
    for (const auto& [name, value] : alias.parameters) names += fmt::format(" ({}={})", name, value);
  }
  return names.empty() ? "" : fmt::format("Other names: {}.\n", names);
}

/// Describes a strategy. `name` is the name that the user specified: a strategy name, an alias, or the path
/// of a plug-in.
std::string details(const StrategyInfo& strategy, const std::string& name, const Terminal& terminal) {
  const std::string text = fmt::format("{}: {}\n{}", terminal.paint(Colour::bold, strategy.name),
                                       strategy.help, other_names(strategy));
  const ParameterSpec& first = strategy.parameters.front();
  return text + "\n" + parameter_table(strategy.parameters, Terminal::width()) +
         fmt::format("\nplimsoll balance DIR --strategy {} --param {}={}\n", name, first.name,
                     to_string(first.default_value));
}

constexpr const char* models_examples =
    R"(  plimsoll models               list all load models
  plimsoll models LinearModel   show one in detail, with its parameters
  plimsoll balance data --strategy GreedyLB --load-model 'Norm(power=3) | PersistenceMedianLastN(n=4)')";

std::string json_text(std::span<const LoadModelInfo> models) {
  return json_line([&](support::JsonWriter& json) {
    json.key("models").begin_array();
    for (const LoadModelInfo& model : models) {
      json.begin_object().member("name", model.name).member("help", model.help);
      write_parameters(json.key("parameters"), model.parameters);
      json.member("example", model.example).end_object();
    }
    json.end_array();
  });
}

std::string overview(std::span<const LoadModelInfo> models) {
  support::TextTable table({{"model"}, {"parameters"}, {"description"}});
  for (const LoadModelInfo& model : models)
    table.add_row({model.name, parameter_list(model.parameters), model.help});
  return table.to_string(Terminal::width());
}

std::string details(const LoadModelInfo& model, const Terminal& terminal) {
  return fmt::format("{}: {}\n{}\nplimsoll balance DIR --strategy GreedyLB \\\n    --load-model '{}'\n",
                     terminal.paint(Colour::bold, model.name), model.help,
                     model.parameters.empty() ? "No parameters.\n"
                                              : "\n" + parameter_table(model.parameters, Terminal::width()),
                     model.example);
}

}  // namespace

Command define_strategies(OptionParser& parser) {
  parser.set_examples(strategies_examples);
  return [options = add_listing_options(parser, "strategy", strategy_names())](Terminal& terminal) {
    StrategyRegistry registry = StrategyRegistry::builtin();
    const std::span<const StrategyInfo> chosen =
        options->one() ? std::span(&registry.info(registry.resolve(options->name)), 1)
                       : std::span(registry.list());
    terminal.print(options->json    ? json_text(chosen)
                   : options->one() ? fitted(details(chosen.front(), options->name, terminal))
                                    : fitted(overview(chosen)));
    return 0;
  };
}

Command define_models(OptionParser& parser) {
  parser.set_examples(models_examples);
  return [options = add_listing_options(parser, "model", load_model_names())](Terminal& terminal) {
    const std::span<const LoadModelInfo> chosen =
        options->one() ? std::span(&load_model_info(options->name), 1) : std::span(load_models());
    terminal.print(options->json    ? json_text(chosen)
                   : options->one() ? fitted(details(chosen.front(), terminal))
                                    : fitted(overview(chosen)));
    return 0;
  };
}

}  // namespace plimsoll::cli
