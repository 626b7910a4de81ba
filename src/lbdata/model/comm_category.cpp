#include <plimsoll/lbdata/records.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

std::string_view to_string(CommCategory category) {
  switch (category) {
    case CommCategory::SendRecv: return "SendRecv";
    case CommCategory::CollectionToNode: return "CollectionToNode";
    case CommCategory::NodeToCollection: return "NodeToCollection";
    case CommCategory::Broadcast: return "Broadcast";
    case CommCategory::CollectionToNodeBcast: return "CollectionToNodeBcast";
    case CommCategory::NodeToCollectionBcast: return "NodeToCollectionBcast";
    case CommCategory::CollectiveToCollectionBcast: return "CollectiveToCollectionBcast";
    case CommCategory::LocalInvoke: return "LocalInvoke";
    case CommCategory::WriteShared: return "WriteShared";
    case CommCategory::ReadOnlyShared: return "ReadOnlyShared";
  }
  return "";
}

CategoryEnds ends_of(CommCategory category) {
  using enum CommCategory;
  switch (category) {
    case SendRecv:
    case Broadcast:
    case LocalInvoke: return {EntityKind::object, EntityKind::object};
    case CollectionToNode:
    case CollectionToNodeBcast: return {EntityKind::object, EntityKind::node};
    case NodeToCollection:
    case NodeToCollectionBcast:
    case CollectiveToCollectionBcast: return {EntityKind::node, EntityKind::object};
    case WriteShared:
    case ReadOnlyShared: return {EntityKind::shared_id, EntityKind::node};
  }
  return {EntityKind::other, EntityKind::other};
}

std::optional<CommCategory> comm_category(std::string_view name) {
  for (const CommCategory category : all_comm_categories) {
    if (to_string(category) == name) return category;
  }
  return std::nullopt;
}

}  // namespace plimsoll::lbdata
