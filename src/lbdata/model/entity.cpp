#include <fmt/format.h>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

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
