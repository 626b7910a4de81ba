#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <plimsoll/support/error.hpp>

#include "documents/reference/reference.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

namespace {

// A structure with a longer description has a table of its own.
constexpr std::size_t max_inline_chars = 420;

bool is_list(const Type& type) {
  return type.kind == Type::Kind::list;
}

std::string description_of(const Field& field, const std::string& content);

/// Lists the keys of a structure, with their meanings in parentheses.
std::string inline_keys(const Structure& structure) {
  std::vector<std::string> keys;
  for (const Field& field : flat_fields(structure)) {
    const Structure* inner = structure_in(*field.type);
    const std::string meaning = description_of(field, inner != nullptr ? inline_keys(*inner) : "");
    keys.push_back(meaning.empty() ? fmt::format("`{}`", field.key)
                                   : fmt::format("`{}` ({})", field.key, meaning));
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// Returns the meaning of a field. What it contains follows the first clause.
std::string description_of(const Field& field, const std::string& content) {
  std::string text(field.meaning);
  if (field.may_be_null() && text.find("`null`") == std::string::npos)
    text += text.empty() ? "or `null`" : ", or `null`";
  if (content.empty()) return text;
  const std::string list = (is_list(*field.type) ? "a list of " : "") + content;
  const std::size_t end = std::min(text.find("; "), text.find(". "));
  if (text.empty()) return list;
  if (text.starts_with("`null`")) return fmt::format("{}; else {}", text, list);
  return end == std::string::npos ? fmt::format("{}: {}", text, list)
                                  : fmt::format("{}: {}{}", text.substr(0, end), list, text.substr(end));
}

/// A structure that has a table of its own, and the keys with values of it.
struct Section {
  const Structure* structure;
  std::vector<std::string> keys;
  bool is_list;
};

void add_section(std::vector<Section>& sections, const Field& field, const Structure& structure) {
  const auto found = std::ranges::find(sections, &structure, &Section::structure);
  const std::string key = fmt::format("`{}`", field.key);
  if (found == sections.end())
    sections.push_back({&structure, {key}, is_list(*field.type)});
  else if (std::ranges::find(found->keys, key) == found->keys.end())
    found->keys.push_back(key);
}

std::string table(const Structure& structure, std::vector<Section>& sections) {
  std::string text = "| key | meaning |\n|---|---|\n";
  for (const Field& field : flat_fields(structure)) {
    const Structure* inner = structure_in(*field.type);
    std::string content = inner != nullptr ? inline_keys(*inner) : "";
    if (content.size() > max_inline_chars) {
      add_section(sections, field, *inner);
      content = is_list(*field.type) ? "objects (below)" : "an object (below)";
    }
    text += fmt::format("| `{}` | {} |\n", field.key, description_of(field, content));
  }
  return text;
}

}  // namespace

std::string key_tables(const Structure& document) {
  std::vector<Section> sections;
  std::string text = table(document, sections);
  for (std::size_t k = 0; k < sections.size(); ++k) {
    const Section section = sections[k];
    text += fmt::format("\n{}{} has these keys:\n\n", section.is_list ? "Each object in " : "",
                        fmt::join(section.keys, " or "));
    text += table(*section.structure, sections);
  }
  return text;
}

std::string with_key_tables(std::string_view page, const std::vector<DocumentKind>& documents) {
  constexpr std::string_view begin_mark = "<!-- keys of ";
  constexpr std::string_view end_of_mark = " -->\n";
  constexpr std::string_view end_mark = "<!-- end of keys -->\n";
  std::string text;
  for (std::size_t mark = 0; (mark = page.find(begin_mark)) != std::string_view::npos;) {
    const std::size_t name_begin = mark + begin_mark.size();
    const std::size_t name_end = page.find(end_of_mark, name_begin);
    const std::size_t end = page.find(end_mark, name_begin);
    if (end == std::string_view::npos) throw support::bad_input("\"<!-- end of keys -->\" is missing", "");
    const std::string_view name = page.substr(name_begin, name_end - name_begin);
    const auto document = std::ranges::find(documents, name, &DocumentKind::name);
    if (document == documents.end())
      throw support::bad_input(fmt::format("unknown document \"{}\"", name), "");
    text += page.substr(0, name_end + end_of_mark.size());
    text += "\n" + key_tables(document->structure) + "\n";
    text += end_mark;
    page.remove_prefix(end + end_mark.size());
  }
  return text.append(page);
}

}  // namespace plimsoll::documents
