#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <plimsoll/lbdata/entity.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Kind of communication of an edge: the `type` of an entry of `communications`. Values and names match vt's
/// `CommCategory` (Node LB Data, table of communication types).
enum class CommCategory : std::uint8_t {
  SendRecv = 1,
  CollectionToNode = 2,
  NodeToCollection = 3,
  Broadcast = 4,
  CollectionToNodeBcast = 5,
  NodeToCollectionBcast = 6,
  CollectiveToCollectionBcast = 7,
  LocalInvoke = 8,
  WriteShared = 9,
  ReadOnlyShared = 10,
};

/// List of all categories in the order of their values.
inline constexpr std::array<CommCategory, 10> all_comm_categories = {
    CommCategory::SendRecv,
    CommCategory::CollectionToNode,
    CommCategory::NodeToCollection,
    CommCategory::Broadcast,
    CommCategory::CollectionToNodeBcast,
    CommCategory::NodeToCollectionBcast,
    CommCategory::CollectiveToCollectionBcast,
    CommCategory::LocalInvoke,
    CommCategory::WriteShared,
    CommCategory::ReadOnlyShared,
};

/// Kinds of the two ends of an edge.
struct CategoryEnds {
  EntityKind from = EntityKind::object;
  EntityKind to = EntityKind::object;
};

/// Returns the ends of a category according to the table of communication types.
CategoryEnds ends_of(CommCategory category);

/// Returns the name as in the files, e.g. "SendRecv".
std::string_view to_string(CommCategory category);

/// Returns the category with this name; empty for an unknown name.
std::optional<CommCategory> comm_category(std::string_view name);

}  // namespace plimsoll::lbdata
