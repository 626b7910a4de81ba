#pragma once

#include <fmt/format.h>

#include <string>

#include <plimsoll/lbdata/entity_table.hpp>

namespace plimsoll::inline v0_1::cli {

/// Members of an entity that identify the object for users.
struct ObjectName {
  std::string number;
  std::string collection;
  std::string index;
};

inline ObjectName name_of(const lbdata::EntityTable& entities, lbdata::EntityIndex entity) {
  const lbdata::EntityFamily& family = entities.family(entity);
  ObjectName name{.number = to_string(entities.number(entity))};
  if (family.has_collection_id) name.collection = to_string(family.collection_id);
  if (family.has_index) {
    const lbdata::IndexTuple index = entities.index(entity);
    for (std::size_t k = 0; k < index.size(); ++k)
      name.index += fmt::format("{}{}", k == 0 ? "" : ",", index[k]);
  }
  return name;
}

}  // namespace plimsoll::cli
