#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <plimsoll/lbdata/entity.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// What kind of communication an edge is: the `type` of an entry of `communications`.
/// Values and names are those of vt's `CommCategory` (Node LB Data, table of communication types).
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

/// All categories in the order of their values.
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

/// What the two ends of an edge are.
struct CategoryEnds {
  EntityKind from = EntityKind::object;
  EntityKind to = EntityKind::object;
};

/// The ends of a category, as the table of communication types has them.
CategoryEnds ends_of(CommCategory category);

/// Name as in the files, e.g. "SendRecv".
std::string_view to_string(CommCategory category);

/// The category of a name, empty for a name that is none.
std::optional<CommCategory> comm_category(std::string_view name);

}  // namespace plimsoll::lbdata
