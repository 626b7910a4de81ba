#pragma once

#include <cstdint>
#include <optional>

namespace plimsoll::inline v0_1::lbdata {

/// What the two lowest bits of an `id` say about its object.
enum class IdentifierKind : std::uint8_t {
  object_group = 0,
  bare_handler = 1,        ///< work of the rank itself
  fixed_element = 2,       ///< of a collection, not migratable
  migratable_element = 3,  ///< of a collection
};

/// The parts of a bit-encoded `id`, least significant bit first (vt 1.6, `elm_id_bits`):
///
///     elements        kind:2, home:16, sequence:46
///     bare handlers   kind:2, home:16
///     object groups   kind:2, then the proxy: 1:1, collective:1, home:16, sequence:32
struct Identifier {
  IdentifierKind kind = IdentifierKind::migratable_element;
  std::uint32_t home = 0;      ///< rank: where an element was made; where a handler or group member lives
  std::uint64_t sequence = 0;  ///< of an element, counted from 1 on each home; number of an object group
  bool collective = false;     ///< of an object group: made by all ranks together

  friend bool operator==(const Identifier&, const Identifier&) = default;
};

/// The `id`. Throws Error (usage) for a home above 65535 or a sequence that does not fit.
std::uint64_t encode(const Identifier& identifier);

/// The parts of an `id`; empty for a number that cannot be one: 0, by which vt names the work of no object,
/// and most of the plain numbers that LBAF writes. Some plain numbers are laid out so by chance.
std::optional<Identifier> decode_identifier(std::uint64_t id);

/// `objgroup_id` of an object group: its proxy on rank 0, the same on all ranks.
/// Throws Error (usage) for an identifier of another kind or a number that does not fit.
std::uint64_t object_group_proxy(const Identifier& identifier);

/// `collection_id` of the first collection that all ranks make together.
inline constexpr std::uint64_t first_collection_id = 7;

/// `collection_id` of the collection that is `number`-th, from 0, of those that all ranks make together: its
/// proxy, of which bits 0 to 2 say that it is a collection, migratable and collective, and 3 to 18 are of a
/// node.
constexpr std::uint64_t collection_proxy(std::uint64_t number) {
  return first_collection_id | number << 19;
}

}  // namespace plimsoll::lbdata
