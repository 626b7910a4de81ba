#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// Sequence number of the placeholders in plans for vt's OfflineLB: tasks that are not objects of the
/// program, on ranks without migratable objects. No program creates this many elements on one rank, and the
/// IDs are below 2^63.
inline constexpr std::uint64_t placeholder_sequence = (std::uint64_t{1} << 45) - 1;

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

/// Position of an entity in its EntityTable.
using EntityIndex = std::uint32_t;

/// Integer of a file: -2^63 to 2^64-1, which covers vt's unsigned 64-bit ids and negative numbers.
struct WideInteger {
  std::uint64_t bits = 0;  ///< two's complement
  bool negative = false;   ///< whether `bits` represents a signed number

  friend bool operator==(const WideInteger&, const WideInteger&) = default;
};

/// Formats the number as in files: "-5", "18446744073709551615".
std::string to_string(WideInteger number);

/// Kind of an entity: the `type` inside `entity`, `from` and `to`.
enum class EntityKind : std::uint8_t { object, node, shared_id, other };

/// Entity with the members that the file contains: the form for adding entities to a table and reading them.
/// Members that are absent in the file are empty. Views refer to memory of the entity's creator.
struct Entity {
  std::string_view type = "object";          ///< "object", "node", "shared_id", or another text from the file
  std::optional<WideInteger> id;             ///< bit-encoded (Identifier), or a plain number
  std::optional<WideInteger> seq_id;         ///< plain number, instead of `id` or in addition to it
  std::optional<WideInteger> collection_id;  ///< collection that the element belongs to
  std::optional<WideInteger> objgroup_id;    ///< object group that the member belongs to
  std::optional<std::int32_t> home;          ///< rank where the object was created
  std::optional<bool> migratable;            ///< whether a strategy may migrate the object
  std::optional<std::span<const std::int64_t>> index;  ///< index tuple in the collection

  /// Returns the number by which tasks and edges refer to each other: `id`, else `seq_id` (one of them
  /// exists).
  WideInteger number() const { return id ? *id : seq_id.value_or(WideInteger{}); }
  EntityKind kind() const {
    const auto is = [this]<std::size_t size>(const char(&name)[size]) {
      return type.size() == size - 1 && std::memcmp(type.data(), name, size - 1) == 0;
    };
    if (is("object")) return EntityKind::object;
    if (is("node")) return EntityKind::node;
    return is("shared_id") ? EntityKind::shared_id : EntityKind::other;
  }
};

/// Compares the data: the same members with the same values.
bool operator==(const Entity& left, const Entity& right);

/// Returns whether an entity is that of a placeholder. Readers omit its tasks if they have no load.
inline bool is_placeholder(const Entity& entity) {
  const auto identifier = decode_identifier(entity.number().bits);
  return identifier && identifier->kind == IdentifierKind::migratable_element &&
         identifier->sequence == placeholder_sequence &&
         entity.home == static_cast<std::int32_t>(identifier->home);
}

}  // namespace plimsoll::lbdata
