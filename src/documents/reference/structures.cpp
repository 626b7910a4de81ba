#include <cctype>

#include "documents/reference/reference.hpp"

namespace plimsoll::PLIMSOLL_ABI::documents {

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

const Structure* structure_in(const Type& type) {
  if (type.kind == Type::Kind::structure) return type.structure;
  return type.element != nullptr ? structure_in(*type.element) : nullptr;
}

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

}  // namespace plimsoll::documents
