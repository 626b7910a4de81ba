#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/documents/examinations.hpp>
#include <plimsoll/documents/layouts.hpp>
#include <plimsoll/documents/placements.hpp>
#include <plimsoll/documents/replays.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>

// Writes what documents, and the viewer, state about the keys of --json: docs/reference/json-output.md and
// viewer/src/data/document-types.ts.

namespace plimsoll::PLIMSOLL_ABI::documents {

namespace {

/// What a subcommand prints with --json.
struct DocumentKind {
  const char* name;  ///< the subcommand, such as "collectives summary"
  const Structure& structure;
};

/// All documents whose structures are described, in the order of their reference.
const DocumentKind documents[] = {
    {"compare-data", structure<lbdata::DataComparison>()},
    {"info", structure<DataSetInfo>()},
    {"info --ranks", structure<RankInfo>()},
    {"info STATISTICS", structure<StatisticsFileInfo>()},
    {"balance", structure<BalanceInfo>()},
    {"compare", structure<ComparisonInfo>()},
    {"replay", structure<ReplayInfo>()},
    {"collectives summary", structure<RunSummary>()},
    {"collectives patterns", structure<PatternList>()},
    {"collectives calls", structure<CallList>()},
    {"collectives calls --call", structure<collectives::CallDetail>()},
    {"collectives functions", structure<FunctionList>()},
    {"collectives sites", structure<SiteList>()},
    {"collectives compare", structure<RunComparison>()},
    {"collectives scaling", structure<ScalingList>()},
    {"collectives matrix", structure<collectives::TrafficView>()},
    {"layout solve", structure<StudyInfo>()},
    {"layout list", structure<LayoutList>()},
    {"doctor", structure<DoctorInfo>()},
};

/// Returns the fields of a structure, with those of merged structures in their place.
std::vector<Field> flat_fields(const Structure& structure) {
  std::vector<Field> flat;
  for (const Field& field : structure.fields) {
    if (!field.is_merged()) {
      flat.push_back(field);
      continue;
    }
    for (Field part : flat_fields(*field.type->structure)) {
      part.is_absent_if_empty |= field.may_be_absent() || field.type->is_nullable;
      flat.push_back(part);
    }
  }
  return flat;
}

/// Returns the structure that a value is, or whose list it is; null for other values.
const Structure* structure_in(const Type& type) {
  if (type.kind == Type::Kind::structure) return type.structure;
  return type.element != nullptr ? structure_in(*type.element) : nullptr;
}

/// Returns the name of a C++ type without namespaces: "MpiSummaryFunction".
std::string short_name(const Structure& structure) {
  std::string name;
  std::string_view rest = structure.name.substr(0, structure.name.find('<'));
  while (!rest.empty()) {
    const std::size_t end = rest.find("::");
    const std::string_view part = rest.substr(0, end);
    if (std::isupper(static_cast<unsigned char>(part.front())) != 0) name += part;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 2);
  }
  return name;
}

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

/// Returns tables in Markdown that explain the keys of a document.
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

/// Replaces what follows each line "<!-- keys of NAME -->" of a page, up to "<!-- end of keys -->", by the
/// tables of the document of this name. Throws Error (bad_input) for an unknown name or a missing end.
std::string with_key_tables(std::string_view page) {
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
    const auto* const document = std::ranges::find(documents, name, &DocumentKind::name);
    if (document == std::end(documents))
      throw support::bad_input(fmt::format("unknown document \"{}\"", name), "");
    text += page.substr(0, name_end + end_of_mark.size());
    text += "\n" + key_tables(document->structure) + "\n";
    text += end_mark;
    page.remove_prefix(end + end_mark.size());
  }
  return text.append(page);
}

std::string typescript(const Type& type) {
  switch (type.kind) {
    case Type::Kind::boolean: return "boolean";
    case Type::Kind::integer:
    case Type::Kind::number: return "number";
    case Type::Kind::text: return "string";
    case Type::Kind::list: {
      const std::string element = typescript(*type.element);
      if (type.size > 0) return fmt::format("[{}]", fmt::join(std::vector(type.size, element), ", "));
      return type.element->is_nullable ? fmt::format("({} | null)[]", element) : element + "[]";
    }
    case Type::Kind::map: return fmt::format("{{ [name: string]: {} }}", typescript(*type.element));
    case Type::Kind::structure: return short_name(*type.structure);
    case Type::Kind::any: break;
  }
  return "unknown";
}

/// Appends the types of a structure and of those in it, unless they are already written.
void append_types(const Structure& structure, std::set<std::string>& written, std::string& text) {
  if (!written.insert(short_name(structure)).second) return;
  text += fmt::format("\nexport type {} = {{\n", short_name(structure));
  for (const Field& field : flat_fields(structure))
    text += fmt::format("  {}{}: {}{};\n", field.key, field.may_be_absent() ? "?" : "",
                        typescript(*field.type), field.may_be_null() ? " | null" : "");
  text += "};\n";
  for (const Field& field : flat_fields(structure))
    if (const Structure* inner = structure_in(*field.type)) append_types(*inner, written, text);
}

/// Returns the types of documents in TypeScript.
std::string typescript_types() {
  std::string text =
      "// Types of the documents that --json prints (docs/reference/json-output.md).\n"
      "// Generated by plimsoll_document_reference from src/documents/.\n";
  std::set<std::string> written;
  for (const DocumentKind& document : documents) append_types(document.structure, written, text);
  return text;
}

/// Writes a file, or compares it. Returns whether it has this text.
bool write_or_compare(const std::string& path, const std::string& text, bool compares) {
  const bool is_equal = support::read_text_file(path) == text;
  if (is_equal) return true;
  if (compares) {
    fmt::print(stderr, "{}: differs from src/documents; run plimsoll_document_reference SOURCE\n", path);
    return false;
  }
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_written;
}

bool update(const std::string& source, bool compares) {
  const std::string page = source + "/docs/reference/json-output.md";
  const std::string types = source + "/viewer/src/data/document-types.ts";
  const bool has_page = write_or_compare(page, with_key_tables(support::read_text_file(page)), compares);
  return write_or_compare(types, typescript_types(), compares) && has_page;
}

}  // namespace

/// Returns the exit status.
int run(int count, char** words) {
  const bool compares = count == 3 && std::string_view(words[2]) == "--compare";
  if (count != 2 && !compares) {
    fmt::print(stderr, "usage: plimsoll_document_reference SOURCE [--compare]\n");
    return 2;
  }
  try {
    return update(words[1], compares) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace plimsoll::documents

int main(int count, char** words) {
  return plimsoll::documents::run(count, words);
}
