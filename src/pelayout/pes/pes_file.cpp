#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using pugi::xml_node;

constexpr std::size_t max_file_bytes = std::size_t{4}
                                       << 20;  // maximum file size; the largest known file is 0.1 MB
// Maximum total number of entries and overrides. It limits the time, because each pesize is compared with all
// of them. The largest known file has 200.
constexpr std::size_t max_entries = 2000;
constexpr std::size_t max_warnings = 1000;

/// Returns all text of an element, including text after comments.
std::string text_of(xml_node element) {
  std::string text;
  for (const xml_node part : element)
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
  return std::string(support::trimmed(text));
}

bool has_elements(xml_node element) {
  return std::ranges::any_of(element.begin(), element.end(),
                             [](xml_node child) { return child.type() == pugi::node_element; });
}

class PesReader {
 public:
  PesReader(std::string_view xml, const std::string& file) : file_(file) {
    for (std::size_t k = 0; k < xml.size(); ++k)
      if (xml[k] == '\n') line_ends_.push_back(k);
    result_.path = file;
  }

  PesFile read(std::string_view xml) {
    if (xml.size() > max_file_bytes)
      throw support::bad_input("too large for a PE file: at most 4 MiB", file_);
    if (const std::size_t zero = xml.find('\0'); zero != std::string_view::npos)
      throw error_at(zero, "invalid XML: contains a zero byte");
    pugi::xml_document document;
    const auto parsed =
        document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed)
      throw error_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)),
                     std::string("invalid XML: ") + parsed.description());
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
    for (const xml_node child : parent.children()) {
      if (is(child, "grid")) {
        read_machines(child, entries);
      } else if (is(child, "overrides") && &entries == &result_.entries) {
        read_grids(child, result_.overrides);
      } else {
        warn_of_unknown(child);
      }
    }
  }

  void read_machines(xml_node grid, std::vector<PesEntry>& entries) {
    for (const xml_node machine : grid.children()) {
      if (!is(machine, "mach")) {
        warn_of_unknown(machine);
        continue;
      }
      for (const xml_node pes : machine.children()) {
        if (!is(pes, "pes"))
          warn_of_unknown(pes);
        else if (result_.entries.size() + result_.overrides.size() == max_entries)
          throw error(pes,
                      "too many pes elements: at most " + std::to_string(max_entries) + " are supported");
        else
          entries.push_back(read_entry(grid, machine, pes));
      }
    }
  }

  PesEntry read_entry(xml_node grid, xml_node machine, xml_node pes) {
    PesEntry entry;
    entry.line = line_of(pes);
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
          warn(child,
               std::string(child.name()) + " is inside " + name + ": the inner name is used, as in CIME");
        set(child, entry);
      }
    } else if (name == support::upper_case(name)) {
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
    const std::size_t bar = name.find('_');
    const std::string kind = name.substr(0, bar);
    const std::string component = bar == std::string::npos ? "" : name.substr(bar + 1);
    std::optional<std::int64_t> ComponentPes::*count = nullptr;
    if (kind == "NTASKS") count = &ComponentPes::tasks;
    if (kind == "NTHRDS") count = &ComponentPes::threads;
    if (kind == "ROOTPE") count = &ComponentPes::root;
    if (kind == "PSTRID") count = &ComponentPes::stride;
    if (count != nullptr && !component.empty()) {
      const std::int64_t value = integer(element);
      if (kind == "NTASKS" && value == 0)
        throw error(element, "invalid value 0 of " + name, "use 1 or more, or -N for N nodes");
      if ((kind == "NTHRDS" || kind == "PSTRID") && value < 1)
        throw error(element, "invalid value of " + name + ": must be >= 1");
      auto& place = entry.components[component].*count;
      if (place) warn(element, "duplicate " + name + "; the last value is used");
      place = value;
    } else if (const std::string text = text_of(element); !text.empty()) {
      if (!entry.variables.insert_or_assign(name, text).second)
        warn(element, "duplicate " + name + "; the last value is used");
    }
  }

  std::int64_t integer(xml_node element) const {
    const std::string text = text_of(element);
    const bool plus = text.starts_with('+') && !text.starts_with("+-");
    const auto value = support::parse_number<std::int64_t>(std::string_view(text).substr(plus ? 1 : 0));
    constexpr std::int64_t max_value =
        std::numeric_limits<std::int32_t>::max();  // upper limit, because MPI stores ranks in an int
    if (!value || *value > max_value || *value < -max_value)
      throw error(element,
                  fmt::format("invalid value {} of {}", support::in_quotes(text, 40), element.name()),
                  "use an integer");
    return *value;
  }

  static bool is(xml_node node, std::string_view name) { return node.name() == name; }

  std::uint64_t line_at(std::size_t byte) const {
    return 1 + static_cast<std::uint64_t>(std::ranges::lower_bound(line_ends_, byte) - line_ends_.begin());
  }
  std::uint64_t line_of(xml_node node) const {
    return line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
  }

  Error error_at(std::size_t byte, std::string what, std::string suggestion = {}) const {
    Diagnostic diagnostic;
    diagnostic.what = std::move(what);
    diagnostic.file = file_;
    diagnostic.line = line_at(byte);
    diagnostic.suggestion = std::move(suggestion);
    return {ErrorKind::bad_input, std::move(diagnostic)};
  }
  Error error(xml_node node, std::string what, std::string suggestion = {}) const {
    return error_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)),
                    std::move(what), std::move(suggestion));
  }
  void warn(xml_node node, std::string what) {
    if (result_.warnings.size() == max_warnings) return;
    if (result_.warnings.size() + 1 == max_warnings) what = "more warnings are not shown";
    Diagnostic diagnostic = error(node, std::move(what)).diagnostic();
    diagnostic.severity = Severity::warning;
    result_.warnings.push_back(std::move(diagnostic));
  }
  void warn_of_unknown(xml_node node) {
    if (node.type() == pugi::node_element)
      warn(node, "unknown element " + std::string(node.name()) + " ignored");
  }

  const std::string& file_;
  std::vector<std::size_t> line_ends_;  ///< offsets of line ends in bytes
  PesFile result_;
};

}  // namespace

PesFile parse_pes_file(std::string_view xml, const std::string& file) {
  return PesReader(xml, file).read(xml);
}

PesFile read_pes_file(const std::string& path) {
  return parse_pes_file(support::read_text_file(path, max_file_bytes), path);
}

}  // namespace plimsoll::pelayout
