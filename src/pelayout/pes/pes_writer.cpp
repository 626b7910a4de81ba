#include <pugixml.hpp>

#include <algorithm>
#include <optional>
#include <sstream>

#include <plimsoll/pelayout/pes_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
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
