#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/support/error.hpp>

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

std::string_view TextColumn::at(std::uint32_t row) const {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  if (found == rows_.end() || *found != row) return {};
  return text(static_cast<std::size_t>(found - rows_.begin()));
}

void TextColumn::shrink() {
  rows_.shrink_to_fit();
  ends_.shrink_to_fit();
  text_.shrink_to_fit();
}

void Tasks::append(const Tasks& other, std::size_t task) {
  PLIMSOLL_EXPECT(task < other.size());
  PLIMSOLL_EXPECT(subphase_id.size() == subphase_time_s.size());
  const auto row = static_cast<std::uint32_t>(size());
  const auto other_row = static_cast<std::uint32_t>(task);
  entity.push_back(other.entity[task]);
  time_s.push_back(other.time_s[task]);
  node.push_back(other.node[task]);
  resource.push_back(other.resource[task]);
  for (std::uint32_t i = other.subphase_begin(task); i < other.subphase_end[task]; ++i) {
    subphase_id.push_back(other.subphase_id[i]);
    subphase_time_s.push_back(other.subphase_time_s[i]);
  }
  subphase_end.push_back(static_cast<std::uint32_t>(subphase_id.size()));
  if (std::ranges::binary_search(other.empty_subphases, other_row)) empty_subphases.push_back(row);
  if (const auto text = other.user_defined.at(other_row); !text.empty()) user_defined.add(row, text);
  if (const auto text = other.attributes.at(other_row); !text.empty()) attributes.add(row, text);
  PLIMSOLL_ENSURE(time_s.size() == size() && node.size() == size() && resource.size() == size() &&
                  subphase_end.size() == size());
}

void Communications::append(const Communications& other, std::size_t edge) {
  PLIMSOLL_EXPECT(edge < other.size());
  from.push_back(other.from[edge]);
  to.push_back(other.to[edge]);
  bytes.push_back(other.bytes[edge]);
  messages.push_back(other.messages[edge]);
  category.push_back(other.category[edge]);
  PLIMSOLL_ENSURE(to.size() == size() && bytes.size() == size() && messages.size() == size() &&
                  category.size() == size());
}

namespace {

constexpr unsigned kind_bits = 2;
constexpr unsigned home_bits = 16;
constexpr unsigned element_bits = 46;
constexpr unsigned group_bits = 32;
constexpr std::uint64_t is_group = 1;

constexpr std::uint64_t mask(unsigned bits) {
  return (std::uint64_t{1} << bits) - 1;
}

void expect_fits(const char* what, std::uint64_t value, unsigned bits) {
  if (value <= mask(bits)) return;
  throw support::usage_error(fmt::format("{} {} exceeds the {} bits available in an ID", what, value, bits),
                             "use seq_id, collection_id and home instead of id");
}

std::uint64_t group_proxy(const Identifier& group, std::uint64_t node) {
  expect_fits("object group", group.sequence, group_bits);
  return group.sequence << (2 + home_bits) | node << 2 | std::uint64_t{group.collective} << 1 | is_group;
}

}  // namespace

std::uint64_t encode(const Identifier& identifier) {
  expect_fits("rank", identifier.home, home_bits);
  const auto kind = static_cast<std::uint64_t>(identifier.kind);
  const std::uint64_t home = std::uint64_t{identifier.home} << kind_bits;
  switch (identifier.kind) {
    case IdentifierKind::object_group: return group_proxy(identifier, identifier.home) << kind_bits;
    case IdentifierKind::bare_handler: return home | kind;
    case IdentifierKind::fixed_element:
    case IdentifierKind::migratable_element: break;
  }
  expect_fits("sequence number", identifier.sequence, element_bits);
  return identifier.sequence << (kind_bits + home_bits) | home | kind;
}

std::optional<Identifier> decode_identifier(std::uint64_t id) {
  Identifier identifier;
  identifier.kind = static_cast<IdentifierKind>(id & mask(kind_bits));
  std::uint64_t rest = id >> kind_bits;
  if (identifier.kind == IdentifierKind::object_group) {
    if ((rest & is_group) == 0) return std::nullopt;
    identifier.collective = (rest & 2) != 0;
    rest >>= 2;
  }
  identifier.home = static_cast<std::uint32_t>(rest & mask(home_bits));
  identifier.sequence = rest >> home_bits;
  switch (identifier.kind) {
    case IdentifierKind::object_group:
      if (identifier.sequence > mask(group_bits)) return std::nullopt;
      break;
    case IdentifierKind::bare_handler:
      if (identifier.sequence != 0) return std::nullopt;
      break;
    case IdentifierKind::fixed_element:
    case IdentifierKind::migratable_element:
      if (identifier.sequence == 0) return std::nullopt;
      break;
  }
  return identifier;
}

std::uint64_t object_group_proxy(const Identifier& identifier) {
  if (identifier.kind != IdentifierKind::object_group) {
    throw support::usage_error("only object groups have a proxy", "use the identifier of an object group");
  }
  return group_proxy(identifier, 0);
}

}  // namespace plimsoll::lbdata
