#pragma once

#include <fmt/format.h>

#include <string>

#include <plimsoll/lbdata/entity_table.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Members of an entity that identify the object for users, as text; empty if absent.
struct ObjectName {
  std::string number;      ///< `id`, else `seq_id`
  std::string collection;  ///< `collection_id`
  std::string index;       ///< coordinates separated by commas
};

/// Returns the name of an entity.
inline ObjectName name_of(const EntityTable& entities, EntityIndex entity) {
  const EntityFamily& family = entities.family(entity);
  ObjectName name{.number = to_string(entities.number(entity))};
  if (family.has_collection_id) name.collection = to_string(family.collection_id);
  if (family.has_index) {
    const IndexTuple index = entities.index(entity);
    for (std::size_t k = 0; k < index.size(); ++k)
      name.index += fmt::format("{}{}", k == 0 ? "" : ",", index[k]);
  }
  return name;
}

}  // namespace plimsoll::lbdata
