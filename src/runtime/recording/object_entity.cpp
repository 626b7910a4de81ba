#include "runtime/recording/object_entity.hpp"

#include <fmt/format.h>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

lbdata::Entity element_entity(ObjectId id, const ObjectSpec& spec, int rank_count) {
  const auto number = static_cast<std::uint64_t>(id);
  const auto parts = lbdata::decode_identifier(number);
  const bool is_element = parts && (parts->kind == lbdata::IdentifierKind::migratable_element ||
                                    parts->kind == lbdata::IdentifierKind::fixed_element);
  if (!is_element) {
    throw usage_error(fmt::format("invalid object ID {}: expected the ID of a collection element", number),
                      "call id() on the rank that registered the object, or object_id()");
  }
  if (parts->home >= static_cast<std::uint32_t>(rank_count)) {
    throw usage_error(
        fmt::format("invalid home rank {}: must be below the number of ranks, {}", parts->home, rank_count));
  }
  lbdata::Entity entity{.id = lbdata::WideInteger{number},
                        .collection_id = lbdata::WideInteger{spec.collection},
                        .home = static_cast<std::int32_t>(parts->home),
                        .migratable = parts->kind == lbdata::IdentifierKind::migratable_element};
  if (!spec.index.empty()) entity.index = spec.index;
  return entity;
}

lbdata::Entity group_entity(int rank, std::uint32_t group) {
  const lbdata::Identifier identifier{.kind = lbdata::IdentifierKind::object_group,
                                      .home = static_cast<std::uint32_t>(rank),
                                      .sequence = group,
                                      .collective = true};
  return {.id = lbdata::WideInteger{lbdata::encode(identifier)},
          .objgroup_id = lbdata::WideInteger{lbdata::object_group_proxy(identifier)},
          .home = rank,
          .migratable = false};
}

lbdata::Entity rank_entity(int rank) {
  const auto id = static_cast<std::uint64_t>(rank_object_id(rank));
  return {.id = lbdata::WideInteger{id}, .home = rank, .migratable = false};
}

}  // namespace plimsoll::runtime
