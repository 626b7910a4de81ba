#include "cli/catalogue.hpp"

#include <fmt/format.h>

#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/table.hpp>

namespace plimsoll::cli {

namespace {

void write_json(support::JsonWriter& json, const CatalogueEntry& entry) {
  json.begin_object().member("name", entry.name).member("help", entry.help);
  json.key("parameters").begin_array();
  for (const balance::ParameterSpec& parameter : entry.parameters) {
    json.begin_object()
        .member("name", parameter.name)
        .member("type", balance::type_name(parameter.default_value));
    std::visit([&](const auto& value) { json.member("default", value); }, parameter.default_value);
    json.member("help", parameter.help).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string catalogue_json(const std::string& key, const std::vector<CatalogueEntry>& entries) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().key(key).begin_array();
  for (const CatalogueEntry& entry : entries) write_json(json, entry);
  json.end_array().end_object();
  return text + '\n';
}

std::string catalogue_table(const std::string& title, const std::vector<CatalogueEntry>& entries) {
  support::TextTable table({{title}, {"parameters"}, {"what it does"}});
  for (const CatalogueEntry& entry : entries) {
    std::string parameters;
    for (const balance::ParameterSpec& parameter : entry.parameters) {
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", parameter.name,
                                balance::to_string(parameter.default_value));
    }
    table.add_row({entry.name, parameters, entry.help});
  }
  return table.to_string();
}

std::string catalogue_details(const CatalogueEntry& entry, const Terminal& terminal) {
  std::string text = fmt::format("{}: {}\n", terminal.paint(Colour::bold, entry.name), entry.help);
  if (entry.parameters.empty()) {
    text += "It has no parameters.\n";
  } else {
    support::TextTable table({{"parameter"}, {"type"}, {"default"}, {"meaning"}});
    for (const balance::ParameterSpec& parameter : entry.parameters) {
      table.add_row({parameter.name, balance::type_name(parameter.default_value),
                     balance::to_string(parameter.default_value), parameter.help});
    }
    text += "\n" + table.to_string();
  }
  return text + "\n" + entry.example + "\n";
}

}  // namespace plimsoll::cli
