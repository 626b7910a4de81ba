#include "cli/options/parameter_option.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

balance::ParameterMap parse_parameters(const std::vector<std::string>& given) {
  balance::ParameterMap parameters;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw support::usage_error(
          fmt::format("invalid value {} for --param: expected NAME=VALUE", support::in_quotes(text)),
          "use, for example, --param tolerance=1.05");
    }
    const auto [known, added] = parameters.emplace(text.substr(0, equals), text.substr(equals + 1));
    if (!added) {
      throw support::usage_error(fmt::format("duplicate --param {}", known->first), "set it once");
    }
  }
  return parameters;
}

}  // namespace

void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help) {
  parser
      .add_option_function<std::vector<std::string>>(
          "--param NAME=VALUE",
          [&parameters](const std::vector<std::string>& given) { parameters = parse_parameters(given); },
          help)
      .one_word_each();
}

}  // namespace plimsoll::cli
