#pragma once

#include <cstdint>
#include <optional>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Kind of an object, from the two lowest bits of its `id`.
enum class IdentifierKind : std::uint8_t {
  object_group = 0,
  bare_handler = 1,        ///< work of the rank itself
  fixed_element = 2,       ///< non-migratable element of a collection
  migratable_element = 3,  ///< migratable element of a collection
};

/// Parts of a bit-encoded `id`, lowest bit first (vt 1.6, `elm_id_bits`):
///
///     elements        kind:2, home:16, sequence:46
///     bare handlers   kind:2, home:16
///     object groups   kind:2, then the proxy: 1:1, collective:1, home:16, sequence:32
struct Identifier {
  IdentifierKind kind = IdentifierKind::migratable_element;
  std::uint32_t home = 0;  ///< rank where an element was created, or where a handler or group member lives
  std::uint64_t sequence = 0;  ///< number of an element, from 1 on each home; number of an object group
  bool collective = false;     ///< whether all ranks created the object group together

  friend bool operator==(const Identifier&, const Identifier&) = default;
};

/// Returns the `id`. Throws Error (usage) for a home above 65535 or a sequence that does not fit.
std::uint64_t encode(const Identifier& identifier);

/// Returns the parts of an `id`; empty for a number that is not a valid id. Examples of such numbers are 0,
/// which vt uses for work without an object, and most plain numbers that LBAF writes. Some plain numbers
/// match the layout by chance.
std::optional<Identifier> decode_identifier(std::uint64_t id);

/// Returns the `objgroup_id` of an object group: its proxy on rank 0, the same on all ranks. Throws Error
/// (usage) for an identifier of another kind or a number that does not fit.
std::uint64_t object_group_proxy(const Identifier& identifier);

/// First `collection_id` of the collections that all ranks create together.
inline constexpr std::uint64_t first_collection_id = 7;

/// Returns the `collection_id` of collection `number`, counted from 0 over the collections that all ranks
/// create together. The id is the proxy of the collection: bits 0 to 2 specify a migratable, collective
/// collection, and bits 3 to 18 contain the node.
constexpr std::uint64_t collection_proxy(std::uint64_t number) {
  return first_collection_id | number << 19;
}

}  // namespace plimsoll::lbdata
