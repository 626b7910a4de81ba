#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <sstream>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/pes/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

using pugi::xml_node;

constexpr std::size_t max_pes_file_bytes = std::size_t{4} << 20;  // the largest known file has 0.1 MB
// Maximum total number of entries and overrides. It limits the time, because each pesize is compared with all
// of them. The largest known file has 200.
constexpr std::size_t max_pes_entries = 2000;
constexpr std::size_t max_warnings = 1000;

/// Returns all text of an element, including text after comments.
std::string text_of(xml_node element) {
  std::string text;
  for (const xml_node part : element)
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
  return std::string(support::trimmed(text));
}

bool is_quoted(const std::string& text) {
  return text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

/// Removes quotation marks around a value, as CIME does.
std::string without_quotes(std::string text) {
  return is_quoted(text) ? text.substr(1, text.size() - 2) : text;
}

/// Adds quotation marks if without_quotes() or the reader would change the value.
std::string with_quotes(const std::string& value) {
  return is_quoted(value) || support::trimmed(value) != value ? '"' + value + '"' : value;
}

bool has_elements(xml_node element) {
  return std::ranges::any_of(element.begin(), element.end(),
                             [](xml_node child) { return child.type() == pugi::node_element; });
}

class PesReader {
 public:
  PesReader(std::string_view xml, const std::string& file) : file_(file) {
    for (std::ptrdiff_t k = 0; k < std::ssize(xml); ++k)
      if (xml[static_cast<std::size_t>(k)] == '\n') line_ends_.push_back(k);
    result_.path = file;
  }

  PesFile read(std::string_view xml) {
    if (xml.size() > max_pes_file_bytes)
      throw support::bad_input("too large for a PE file: at most 4 MiB", file_);
    if (const std::size_t zero = xml.find('\0'); zero != std::string_view::npos)
      throw error_at(static_cast<std::ptrdiff_t>(zero), "invalid XML: contains a zero byte");
    pugi::xml_document document;
    const auto parsed =
        document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed) throw error_at(parsed.offset, std::string("invalid XML: ") + parsed.description());
    const xml_node root = document.document_element();
    if (std::string_view(root.name()) != "config_pes")
      throw error(root, "not a PE file: root element " + std::string(root.name()) + ", expected config_pes");
    for (xml_node after = root.next_sibling(); after; after = after.next_sibling())
      if (after.type() == pugi::node_element) throw error(after, "second root element");
    read_grids(root, result_.entries);
    return std::move(result_);
  }

 private:
  void read_grids(xml_node parent, std::vector<PesEntry>& entries) {
    for (const xml_node child : parent.children())
      if (is(child, "grid"))
        read_machines(child, entries);
      else if (is(child, "overrides") && &entries == &result_.entries)
        read_grids(child, result_.overrides);
      else
        warn_of_unknown(child);
  }

  void read_machines(xml_node grid, std::vector<PesEntry>& entries) {
    for_each(grid, "mach", [&](xml_node machine) {
      for_each(machine, "pes", [&](xml_node pes) {
        if (result_.entries.size() + result_.overrides.size() == max_pes_entries)
          throw error(pes, fmt::format("too many pes elements: at most {} are supported", max_pes_entries));
        entries.push_back(read_entry(grid, machine, pes));
      });
    });
  }

  /// Calls `use` for the children with a name, and warns of other elements.
  template <class Use>
  void for_each(xml_node parent, std::string_view name, Use use) {
    for (const xml_node child : parent.children()) is(child, name) ? use(child) : warn_of_unknown(child);
  }

  PesEntry read_entry(xml_node grid, xml_node machine, xml_node pes) {
    PesEntry entry;
    entry.line = line_at(pes.offset_debug());
    entry.grid = attribute(grid, "name");
    entry.machine = attribute(machine, "name");
    entry.compset = attribute(pes, "compset");
    entry.pesize = support::trimmed(pes.attribute("pesize").value());
    for (const xml_node child : pes.children()) read_setting(child, entry);
    return entry;
  }

  std::string attribute(xml_node element, const char* name) const {
    const pugi::xml_attribute found = element.attribute(name);
    if (!found)
      throw error(element, "missing " + std::string(name) + " of " + element.name(),
                  "set " + std::string(name) + "=\"any\" to match all");
    return found.value();
  }

  /// Reads a child of `pes`: a comment, a group of counts, or an XML variable by its upper-case name.
  void read_setting(xml_node element, PesEntry& entry) {
    if (element.type() != pugi::node_element) return;
    const std::string name = element.name();
    if (name == "comment") {
      entry.comment = text_of(element);
    } else if (has_elements(element)) {
      for (const xml_node child : element.children()) {
        if (child.type() != pugi::node_element) continue;
        if (!std::string_view(child.name()).starts_with(name + "_"))
          warn(child, fmt::format("{} is inside {}: the inner name is used, as in CIME", child.name(), name));
        set(child, entry);
      }
    } else if (name == support::upper_case(name) || name == "ngpus_per_node") {
      set(element, entry);
    } else if (!text_of(element).empty()) {
      warn_of_unknown(element);
    }
  }

  /// Sets a count of a component, such as `<ntasks_atm>`, or a variable.
  void set(xml_node element, PesEntry& entry) {
    const std::string name = support::upper_case(element.name());
    if (has_elements(element))
      throw error(element, "invalid " + std::string(element.name()) + ": expected a value, not elements");
    if (element.attribute("append")) warn(element, "append is ignored: " + name + " is replaced");
    const std::size_t bar = name.rfind('_');
    const std::string kind = name.substr(0, bar);
    const std::string component = bar == std::string::npos ? "" : name.substr(bar + 1);
    const auto* const count =
        std::ranges::find_if(pes_counts, [&](const auto& known) { return known.name == kind; });
    if (count != std::end(pes_counts) && !component.empty()) {
      const std::int64_t value = integer(element);
      if (kind == "NTASKS" && value == 0)
        throw error(element, "invalid value 0 of " + name, "use 1 or more, or -N for N nodes");
      if ((kind == "NTHRDS" || kind == "PSTRID") && value < 1)
        throw error(element, "invalid value of " + name + ": must be >= 1");
      if (std::exchange(entry.components[component].*count->value, value)) warn_of_duplicate(element, name);
    } else if (const std::string text = without_quotes(text_of(element)); !text.empty()) {
      if (!entry.variables.insert_or_assign(name, text).second) warn_of_duplicate(element, name);
    }
  }

  std::int64_t integer(xml_node element) const {
    const std::string text = text_of(element);
    const bool plus = text.starts_with('+') && !text.starts_with("+-");
    const auto value = support::parse_number<std::int64_t>(std::string_view(text).substr(plus ? 1 : 0));
    constexpr std::int64_t max_value = std::numeric_limits<int>::max();  // MPI stores ranks in an int
    if (!value || *value > max_value || *value < -max_value)
      throw error(element,
                  fmt::format("invalid value {} of {}", support::in_quotes(text, 40), element.name()),
                  "use an integer");
    return *value;
  }

  static bool is(xml_node node, std::string_view name) { return node.name() == name; }

  std::uint64_t line_at(std::ptrdiff_t byte) const {
    return 1 + static_cast<std::uint64_t>(std::ranges::lower_bound(line_ends_, byte) - line_ends_.begin());
  }

  /// Creates an error at a byte of the file; pugixml's offsets are negative if unknown.
  Error error_at(std::ptrdiff_t byte, std::string what, std::string suggestion = {}) const {
    return {
        ErrorKind::bad_input,
        {.what = std::move(what), .file = file_, .line = line_at(byte), .suggestion = std::move(suggestion)}};
  }
  Error error(xml_node node, std::string what, std::string suggestion = {}) const {
    return error_at(node.offset_debug(), std::move(what), std::move(suggestion));
  }
  void warn(xml_node node, std::string what) {
    if (result_.warnings.size() == max_warnings) return;
    if (result_.warnings.size() + 1 == max_warnings) what = "more warnings are not shown";
    Diagnostic diagnostic = error(node, std::move(what)).diagnostic();
    diagnostic.severity = Severity::warning;
    result_.warnings.push_back(std::move(diagnostic));
  }
  void warn_of_unknown(xml_node node) {
    if (node.type() == pugi::node_element) warn(node, fmt::format("unknown element {} ignored", node.name()));
  }
  void warn_of_duplicate(xml_node node, const std::string& name) {
    warn(node, "duplicate " + name + "; the last value is used");
  }

  const std::string& file_;
  std::vector<std::ptrdiff_t> line_ends_;  ///< offsets of line ends in bytes
  PesFile result_;
};

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
void append_group(xml_node pes, const std::string& group, const PesEntry& entry,
                  std::optional<std::int64_t> ComponentPes::*count) {
  xml_node parent;
  for (const auto& [name, component] : entry.components) {
    if (!(component.*count)) continue;
    if (!parent) parent = pes.append_child(group.c_str());
    append(parent, group + "_" + lower_case(name), std::to_string(*(component.*count)));
  }
}

void append_entry(xml_node machine, const PesEntry& entry) {
  xml_node pes = machine.append_child("pes");
  pes.append_attribute("compset").set_value(entry.compset.c_str());
  pes.append_attribute("pesize").set_value(entry.pesize.c_str());
  if (!entry.comment.empty()) append(pes, "comment", entry.comment);
  for (const auto& [name, value] : entry.variables) append(pes, name, with_quotes(value));
  for (const auto& [name, count] : pes_counts) append_group(pes, lower_case(name), entry, count);
}

}  // namespace

PesFile parse_pes_file(std::string_view xml, const std::string& file) {
  return PesReader(xml, file).read(xml);
}

PesFile read_pes_file(const std::string& path) {
  return parse_pes_file(support::read_text_file(path, max_pes_file_bytes), path);
}

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
