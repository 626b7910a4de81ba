#include <fmt/format.h>

#include <memory>
#include <string>

#include <plimsoll/balance/strategy_registry.hpp>

#include "cli/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/input_options.hpp"

namespace plimsoll::cli {

namespace {

struct StrategiesOptions {
  std::string name;
  bool json = false;
};

constexpr const char* examples = R"(  plimsoll strategies            all strategies
  plimsoll strategies RefineLB   one in detail, with its parameters)";

CatalogueEntry entry_of(const balance::StrategyInfo& strategy) {
  std::string example = fmt::format("plimsoll balance DIR --strategy {}", strategy.name);
  if (!strategy.parameters.empty()) {
    const balance::ParameterSpec& first = strategy.parameters.front();
    example += fmt::format(" --param {}={}", first.name, balance::to_string(first.default_value));
  }
  return {strategy.name, strategy.help, strategy.parameters, example};
}

}  // namespace

Command define_strategies(CLI::App& app) {
  auto options = std::make_shared<StrategiesOptions>();
  app.footer(examples);
  app.add_option("NAME", options->name, "Show this strategy alone, in detail");
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    const balance::StrategyRegistry& registry = balance::StrategyRegistry::builtin();
    std::vector<CatalogueEntry> chosen;
    const bool one = !options->name.empty();
    if (one) chosen.push_back(entry_of(registry.info(options->name)));
    if (!one)
      for (const balance::StrategyInfo& strategy : registry.list()) chosen.push_back(entry_of(strategy));
    terminal.print(options->json ? catalogue_json("strategies", chosen)
                   : one         ? catalogue_details(chosen.front(), terminal)
                                 : catalogue_table("strategy", chosen));
    return 0;
  };
}

}  // namespace plimsoll::cli
