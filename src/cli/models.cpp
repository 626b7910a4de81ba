#include <fmt/format.h>

#include <memory>
#include <string>

#include <plimsoll/balance/load_model_registry.hpp>

#include "cli/catalogue.hpp"
#include "cli/commands.hpp"
#include "cli/input_options.hpp"

namespace plimsoll::cli {

namespace {

struct ModelsOptions {
  std::string name;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll models               all load models
  plimsoll models LinearModel   one in detail, with its parameters
  plimsoll balance data --strategy GreedyLB --load-model 'Norm(power=3) | PersistenceMedianLastN(n=4)')";

CatalogueEntry entry_of(const balance::LoadModelInfo& model) {
  return {model.name, model.help, model.parameters,
          fmt::format("plimsoll balance DIR --strategy GreedyLB --load-model '{}'", model.example)};
}

}  // namespace

Command define_models(CLI::App& app) {
  auto options = std::make_shared<ModelsOptions>();
  app.footer(examples);
  app.add_option("NAME", options->name, "Show this model alone, in detail");
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    std::vector<CatalogueEntry> chosen;
    const bool one = !options->name.empty();
    if (one) chosen.push_back(entry_of(balance::load_model_info(options->name)));
    if (!one)
      for (const balance::LoadModelInfo& model : balance::load_models()) chosen.push_back(entry_of(model));
    terminal.print(options->json ? catalogue_json("models", chosen)
                   : one         ? catalogue_details(chosen.front(), terminal)
                                 : catalogue_table("model", chosen));
    return 0;
  };
}

}  // namespace plimsoll::cli
