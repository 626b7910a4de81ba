#pragma once

#include <cstdint>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::runtime {

/// What the LB data say of an element of a collection. Throws Error (usage) if `id` is not that of an
/// element, or its home is not one of the ranks.
lbdata::Entity element_entity(ObjectId id, const ObjectSpec& spec, int rank_count);

/// Likewise of the member of the object group number `group`, from 1, on `rank`.
lbdata::Entity group_entity(int rank, std::uint32_t group);

/// Likewise of the rank itself.
lbdata::Entity rank_entity(int rank);

}  // namespace plimsoll::runtime
