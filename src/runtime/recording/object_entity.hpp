#pragma once

#include <cstdint>
#include <string>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Names an object in messages: "object 5 of home rank 0 (ID 1572867)", or "object 7" if its ID is not the ID
/// of a collection element, e.g. because the program uses plain numbers.
std::string name_of(ObjectId id);

/// Returns the entity of a collection element in the LB data. Throws Error (usage) if `id` is not the ID of
/// an element, or if its home is not one of the ranks. The entity refers to the index in `spec`.
lbdata::Entity element_entity(ObjectId id, const ObjectSpec& spec, int rank_count);

/// Returns the entity of the member on `rank` of object group `group`, counted from 1.
lbdata::Entity group_entity(int rank, std::uint32_t group);

/// Returns the entity of the rank itself.
lbdata::Entity rank_entity(int rank);

}  // namespace plimsoll::runtime
