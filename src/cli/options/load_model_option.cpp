#include "cli/options/load_model_option.hpp"

#include <fmt/format.h>

#include <string>

namespace plimsoll::inline v0_1::cli {

void add_load_model_option(CLI::App& app, std::string& pipeline) {
  app.add_option_function<std::string>(
         "--load-model",
         [&pipeline](const std::string& given) { pipeline = balance::make_load_model(given)->text(); },
         "Use loads that this model predicts for the next phase\n[default: measured loads] (see plimsoll "
         "models)")
      ->option_text("MODEL");
}

std::string load_model_line(const std::string& load_model) {
  if (load_model == balance::measured_loads) return "";
  return fmt::format("The loads shown are predicted by {} for the next phase.\n", load_model);
}

}  // namespace plimsoll::cli
