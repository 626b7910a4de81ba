#include <plimsoll/documents/description.hpp>

namespace plimsoll::PLIMSOLL_ABI::documents {

void write_members(support::JsonWriter& json, const Scope& scope) {
  for (const Field& field : scope.structure.fields)
    if (field.is_present == nullptr || field.is_present(scope)) field.write(json, field, scope);
}

void write_line(const Structure& structure, const void* value, const support::JsonWriter::Sink& sink) {
  std::string text;
  support::JsonWriter json(text, sink);
  json.begin_object();
  write_members(json, {structure, value});
  json.end_object();
  text += '\n';
  sink(text);
}

}  // namespace plimsoll::documents
