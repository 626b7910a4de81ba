#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

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
  std::optional<WideInteger> id;             ///< bit-encoded (identifier.hpp), or a plain number
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

}  // namespace plimsoll::lbdata
