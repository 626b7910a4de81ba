#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/json_writer.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

struct Structure;

/// A structure that is being written, and the one that contains it.
struct Scope {
  const Structure& structure;
  const void* value = nullptr;
  const Scope* outer = nullptr;
};

/// Type of a value in a document.
struct Type {
  /// Kind of a value.
  enum class Kind { boolean, integer, number, text, list, map, structure, any };
  Kind kind = Kind::any;
  bool is_nullable = false;
  std::size_t size = 0;                  ///< of a list of fixed size; else 0
  const Type* element = nullptr;         ///< of a list, or of a map from names to values
  const Structure* structure = nullptr;  ///< of Kind::structure
};

/// A fact in a result structure: the only place that names and explains it. Documents, their reference
/// (docs/reference/json-output.md) and the types of the viewer all come from it.
struct Field {
  std::string_view key;      ///< ends in the unit, such as _s; empty for a merged structure
  std::string_view meaning;  ///< noun phrase in Markdown; empty if the key says it all
  const Type* type = nullptr;
  void (*write)(support::JsonWriter& json, const Field& field, const Scope& scope) = nullptr;
  bool (*is_present)(const Scope& scope) = nullptr;  ///< null: always
  bool is_null_if_empty = false;
  bool is_absent_if_empty = false;
  std::string_view heading = {};  ///< of the column in tables; if empty, the key without its unit

  /// Sets the heading of the column in tables.
  constexpr Field titled(std::string_view title) const {
    Field field = *this;
    field.heading = title;
    return field;
  }
  /// Writes an empty text or a null pointer as null. States of a number that it may be NaN, which is null.
  constexpr Field or_null() const {
    Field field = *this;
    field.is_null_if_empty = true;
    return field;
  }
  /// Omits the key of an empty value.
  constexpr Field or_absent() const {
    Field field = *this;
    field.is_absent_if_empty = true;
    return field;
  }

  constexpr bool is_merged() const { return key.empty(); }
  constexpr bool may_be_absent() const { return is_absent_if_empty || is_present != nullptr; }
  constexpr bool may_be_null() const {
    return is_null_if_empty || (type->is_nullable && !is_absent_if_empty);
  }
};

/// A result structure.
struct Structure {
  std::string_view name;  ///< qualified name of its C++ type
  std::span<const Field> fields;
};

/// Writes the fields of a structure as members of an open object.
inline void write_members(support::JsonWriter& json, const Scope& scope) {
  for (const Field& field : scope.structure.fields)
    if (field.is_present == nullptr || field.is_present(scope)) field.write(json, field, scope);
}

/// Returns the value of one field as JSON. The field must not be merged, and never be absent.
inline std::string json_of(const Field& field, const Scope& scope) {
  PLIMSOLL_EXPECT(!field.is_merged() && !field.may_be_absent());
  std::string text;
  support::JsonWriter json(text);
  field.write(json.begin_object(), field, scope);
  return text.substr(text.find(':') + 1);
}

/// Returns the structure of a document: one of those that headers of this module name.
template <class Document>
const Structure& structure();

/// Passes a document to a sink as one object on a line, as --json prints it, in parts of at most some 64 KiB.
template <class Document>
void write_json(const Document& document, const support::JsonWriter::Sink& sink) {
  std::string text;
  support::JsonWriter json(text, sink);
  write_members(json.begin_object(), {structure<Document>(), &document});
  json.end_object();
  text += '\n';
  sink(text);
}

/// Returns a document as one object on a line.
template <class Document>
std::string to_json(const Document& document) {
  std::string line;
  write_json(document, [&](std::string_view part) { line += part; });
  return line;
}

}  // namespace plimsoll::documents
