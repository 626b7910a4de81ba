#include <fmt/format.h>

#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

ObjectId object_id(int home, std::uint64_t number, bool migratable) {
  if (home < 0)
    throw support::usage_error("invalid home rank: must be >= 0", "specify the number of the home rank");
  if (number >= std::uint64_t{1} << 46)
    throw support::usage_error("invalid object number: must be below 2^46");
  const auto kind =
      migratable ? lbdata::IdentifierKind::migratable_element : lbdata::IdentifierKind::fixed_element;
  return ObjectId{
      lbdata::encode({.kind = kind, .home = static_cast<std::uint32_t>(home), .sequence = number + 1})};
}

std::optional<std::uint64_t> object_number(ObjectId id) {
  const auto parts = lbdata::decode_identifier(static_cast<std::uint64_t>(id));
  const bool element = parts && (parts->kind == lbdata::IdentifierKind::migratable_element ||
                                 parts->kind == lbdata::IdentifierKind::fixed_element);
  if (!element || parts->sequence == 0) return {};
  return parts->sequence - 1;
}

ObjectId rank_object_id(int rank) {
  if (rank < 0) throw support::usage_error(fmt::format("invalid rank {}: must be >= 0", rank));
  return ObjectId{lbdata::encode(
      {.kind = lbdata::IdentifierKind::bare_handler, .home = static_cast<std::uint32_t>(rank)})};
}

}  // namespace plimsoll::runtime
