#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <plimsoll/support/files.hpp>

#include "documents/reference/reference.hpp"

// Writes what documents, and the viewer, state about the keys of --json: docs/reference/json-output.md and
// viewer/src/data/document-types.ts.

namespace {

namespace documents = plimsoll::documents;

/// Writes a file, or compares it. Returns whether it has this text.
bool write_or_compare(const std::string& path, const std::string& text, bool compares) {
  const bool is_equal = plimsoll::support::read_text_file(path) == text;
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

bool run(const std::string& source, bool compares) {
  const std::vector<documents::DocumentKind> kinds = documents::document_kinds();
  const std::string page = source + "/docs/reference/json-output.md";
  const std::string types = source + "/viewer/src/data/document-types.ts";
  const bool has_page = write_or_compare(
      page, documents::with_key_tables(plimsoll::support::read_text_file(page), kinds), compares);
  return write_or_compare(types, documents::typescript_types(kinds), compares) && has_page;
}

}  // namespace

int main(int count, char** words) {
  const bool compares = count == 3 && std::string_view(words[2]) == "--compare";
  if (count != 2 && !compares) {
    fmt::print(stderr, "usage: plimsoll_document_reference SOURCE [--compare]\n");
    return 2;
  }
  try {
    return run(words[1], compares) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
