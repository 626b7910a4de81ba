#include "cli/options/load_model_option.hpp"

#include <fmt/format.h>

#include <string>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_load_model_option(OptionParser& parser, std::string& pipeline) {
  parser.add_option_function<std::string>(
      "--load-model MODEL",
      [&pipeline](const std::string& given) { pipeline = balance::make_load_model(given)->text(); },
      "Use loads that this model predicts for the next phase\n[default: measured loads] (see plimsoll "
      "models)");
}

void add_load_option(OptionParser& parser, std::string& field) {
  parser.add_option(
      "--load FIELD", field,
      "Load: a number in user_defined or attributes of each\ntask, e.g. cpu_time [default: time]");
}

std::string load_field_line(const std::string& field) {
  if (field.empty()) return "";
  return fmt::format("The loads shown are the values of {}.\n", support::in_quotes(field));
}

std::string load_model_line(const std::string& load_model) {
  if (load_model == balance::measured_loads) return "";
  return fmt::format("The loads shown are predicted by {} for the next phase.\n", load_model);
}

}  // namespace plimsoll::cli
