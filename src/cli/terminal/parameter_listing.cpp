#include "cli/terminal/parameter_listing.hpp"

#include <fmt/format.h>

namespace plimsoll::PLIMSOLL_ABI::cli {

std::string parameter_list(const std::vector<balance::ParameterSpec>& parameters,
                           const ParameterFilter& is_shown) {
  std::string list;
  for (const balance::ParameterSpec& parameter : parameters) {
    if (!is_shown(parameter)) continue;
    list += fmt::format("{}{}={}", list.empty() ? "" : " ", parameter.name,
                        balance::to_string(parameter.default_value));
  }
  return list;
}

void write_parameters(support::JsonWriter& json, const std::vector<balance::ParameterSpec>& parameters) {
  json.begin_array();
  for (const balance::ParameterSpec& parameter : parameters) {
    json.begin_object()
        .member("name", parameter.name)
        .member("type", balance::type_name(parameter.default_value));
    std::visit([&](const auto& value) { json.member("default", value); }, parameter.default_value);
    json.member("help", parameter.help).end_object();
  }
  json.end_array();
}

}  // namespace plimsoll::cli
