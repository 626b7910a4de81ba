#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/documents/description.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

/// What a subcommand prints with --json.
struct DocumentKind {
  const char* name;  ///< the subcommand, such as "collectives summary"
  const Structure& structure;
};

/// Returns all documents whose structures are described, in the order of their reference.
std::vector<DocumentKind> document_kinds();

/// Returns the fields of a structure, with those of merged structures in their place.
std::vector<Field> flat_fields(const Structure& structure);

/// Returns the structure that a value is, or whose list it is; null for other values.
const Structure* structure_in(const Type& type);

/// Returns the name of a C++ type without namespaces: "MpiSummaryFunction".
std::string short_name(const Structure& structure);

/// Returns tables in Markdown that explain the keys of a document.
std::string key_tables(const Structure& document);

/// Replaces what follows each line "<!-- keys of NAME -->" of a page, up to "<!-- end of keys -->", by the
/// tables of the document of this name. Throws Error (bad_input) for an unknown name or a missing end.
std::string with_key_tables(std::string_view page, const std::vector<DocumentKind>& documents);

/// Returns the types of documents in TypeScript.
std::string typescript_types(const std::vector<DocumentKind>& documents);

}  // namespace plimsoll::documents
