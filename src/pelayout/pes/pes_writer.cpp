#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <sstream>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns whether a value contains $NAME{.
bool has_call(std::string_view value) {
  for (std::size_t at = value.find('$'); at != std::string_view::npos; at = value.find('$', at + 1)) {
    std::size_t end = at + 1;
    while (end < value.size() && is_word(value[end])) ++end;
    if (end > at + 1 && end < value.size() && value[end] == '{') return true;
  }
  return false;
}

bool may_be_option(std::string_view value) {
  return value.starts_with('-') && !support::parse_number<std::int64_t>(value);
}

}  // namespace

std::string why_unsafe_for_cime(std::string_view name, std::string_view value) {
  if (has_call(value))
    return fmt::format("unsafe value {} of {}: CIME would run a command or read its environment",
                       support::in_quotes(value, 60), support::printable(name));
  if (may_be_option(value))
    return fmt::format("unsafe value {} of {}: begins with a dash", support::in_quotes(value, 60),
                       support::printable(name));
  return {};
}

std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values) {
  if (!word.starts_with('{')) return {};
  const std::string name = word.substr(1, word.find('}') - 1);
  const auto found = values.find(name);
  if (found == values.end() || !may_be_option(found->second)) return {};
  return fmt::format("unsafe value {} of {}: begins with a dash, so a program may interpret it as an option",
                     support::in_quotes(found->second, 60), support::printable(name));
}

namespace {

using pugi::xml_node;

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

xml_node append(xml_node parent, const std::string& name, const std::string& text) {
  xml_node element = parent.append_child(name.c_str());
  element.text().set(text.c_str());
  return element;
}

/// Appends a group such as `ntasks`, unless no component has a value for it.
void append_group(xml_node pes, const char* group, const PesEntry& entry,
                  std::optional<std::int64_t> ComponentPes::*count) {
  xml_node parent;
  for (const auto& [name, component] : entry.components) {
    if (!(component.*count)) continue;
    if (!parent) parent = pes.append_child(group);
    append(parent, group + ("_" + lower_case(name)), std::to_string(*(component.*count)));
  }
}

void append_entry(xml_node machine, const PesEntry& entry) {
  xml_node pes = machine.append_child("pes");
  pes.append_attribute("compset").set_value(entry.compset.c_str());
  pes.append_attribute("pesize").set_value(entry.pesize.c_str());
  if (!entry.comment.empty()) append(pes, "comment", entry.comment);
  for (const auto& [name, value] : entry.variables) append(pes, name, value);
  append_group(pes, "ntasks", entry, &ComponentPes::tasks);
  append_group(pes, "nthrds", entry, &ComponentPes::threads);
  append_group(pes, "rootpe", entry, &ComponentPes::root);
  append_group(pes, "pstrid", entry, &ComponentPes::stride);
}

}  // namespace

std::string to_xml(const std::vector<PesEntry>& entries) {
  pugi::xml_document document;
  xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version").set_value("1.0");
  xml_node root = document.append_child("config_pes");
  root.append_attribute("version").set_value("2.0");
  xml_node grid;
  xml_node machine;
  for (const PesEntry& entry : entries) {
    if (!grid || grid.attribute("name").value() != entry.grid) {
      grid = root.append_child("grid");
      grid.append_attribute("name").set_value(entry.grid.c_str());
      machine = {};
    }
    if (!machine || machine.attribute("name").value() != entry.machine) {
      machine = grid.append_child("mach");
      machine.append_attribute("name").set_value(entry.machine.c_str());
    }
    append_entry(machine, entry);
  }
  std::ostringstream xml;
  document.save(xml, "  ", pugi::format_default, pugi::encoding_utf8);
  return xml.str();
}

}  // namespace plimsoll::pelayout
