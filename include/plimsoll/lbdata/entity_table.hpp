#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Integers of an `index` tuple. Each takes 32 bits if all values fit.
class IndexTuple {
 public:
  IndexTuple() = default;
  IndexTuple(const std::uint32_t* words, std::uint32_t size, bool wide)
      : words_(words), size_(size), wide_(wide) {}

  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t position) const {
    PLIMSOLL_EXPECT(position < size_);
    if (!wide_) return static_cast<std::int32_t>(words_[position]);
    return static_cast<std::int64_t>(words_[2 * position] |
                                     (static_cast<std::uint64_t>(words_[2 * position + 1]) << 32));
  }

 private:
  const std::uint32_t* words_ = nullptr;
  std::uint32_t size_ = 0;
  bool wide_ = false;
};

/// Members that many entities share (for example all elements of a collection); stored once. The `has_`
/// members specify which members of Entity are present.
struct EntityFamily {
  std::string type;  ///< type, as in Entity::type
  EntityKind kind = EntityKind::object;
  bool has_id = false;
  bool has_seq_id = false;
  bool has_home = false;
  bool has_migratable = false;
  bool has_index = false;
  bool has_collection_id = false;
  bool has_objgroup_id = false;
  bool migratable = false;          ///< meaningful if has_migratable
  bool number_is_negative = false;  ///< whether `id`, else `seq_id`, is negative
  bool seq_id_is_negative = false;  ///< whether `seq_id`, if present, is negative
  bool wide_index = false;          ///< whether index values take 64 bits
  std::uint32_t index_size = 0;     ///< number of index values; also 0 if has_index is false
  WideInteger collection_id;        ///< meaningful if has_collection_id
  WideInteger objgroup_id;          ///< meaningful if has_objgroup_id

  friend bool operator==(const EntityFamily&, const EntityFamily&) = default;
};

/// Table of all distinct entities of a data set. It takes 20 bytes per entity, including the value of a
/// one-dimensional index. Each value of a longer index takes 4 more bytes, or 8 if a value exceeds 32 bits.
/// Tables in which an entity has both `id` and `seq_id` take 8 more bytes per entity.
///
/// Two entities are the same only if all members are equal. An object that one file describes in full and
/// another by id alone has two entries with the same number().
class EntityTable {
 public:
  /// Adds the entity if it is new, and returns its index. Cost: amortised O(1). Throws Error (bad_input)
  /// beyond 2^32-2 entities or index values.
  EntityIndex intern(const Entity& entity);

  /// Adds one entity of another table. Cost: amortised O(1).
  EntityIndex intern(const EntityTable& other, EntityIndex entity);

  /// Adds all entities of another table, and returns the index of each in this table. Cost: O(size of other).
  std::vector<EntityIndex> merge(const EntityTable& other);

  std::size_t size() const { return rows_.size(); }

  const EntityFamily& family(EntityIndex entity) const { return families_[family_number(entity)]; }
  EntityKind kind(EntityIndex entity) const { return family(entity).kind; }
  bool migratable(EntityIndex entity) const { return family(entity).migratable; }
  /// Returns `id`, else `seq_id`: the number by which tasks and edges refer to each other.
  WideInteger number(EntityIndex entity) const {
    const bool is_negative = family(entity).number_is_negative;
    return {rows_[entity].number(), is_negative};
  }
  /// Returns the `seq_id` of an entity whose family has one.
  WideInteger seq_id(EntityIndex entity) const;
  /// Returns `home`; meaningful if the family has one.
  std::int32_t home(EntityIndex entity) const { return rows_[entity].home; }
  /// Returns `index`; valid until the next intern().
  IndexTuple index(EntityIndex entity) const;

  /// Returns the number of the entity's family, which is below family_count(). Callers can use it to store
  /// data per family.
  std::uint32_t family_number(EntityIndex entity) const {
    PLIMSOLL_EXPECT(entity < rows_.size());
    return rows_[entity].family;
  }
  std::size_t family_count() const { return families_.size(); }
  const EntityFamily& family_at(std::uint32_t number) const {
    PLIMSOLL_EXPECT(number < family_count());
    return families_[number];
  }

  /// Returns the allocated memory in bytes.
  std::size_t memory_bytes() const;
  /// Frees spare capacity and data that only intern() needs; a later intern() rebuilds these. Cost: O(size).
  void shrink();

 private:
  /// Number in two halves, so that a row takes 20 bytes instead of 24.
  struct Row {
    std::uint32_t number_low;
    std::uint32_t number_high;
    std::int32_t home;
    std::uint32_t family;
    /// Value of an index with one 32-bit value; otherwise, the start of the index in index_words_.
    std::uint32_t index;

    std::uint64_t number() const { return number_low | (std::uint64_t{number_high} << 32); }
  };
  friend class EntityNumbering;
  struct Key;
  struct IndexWords;
  std::uint32_t family_of(const Entity& entity);  // adds it if it is new
  void set_key(Key& key, const Entity& entity, std::uint32_t family, IndexWords& words) const;
  Key key_of(EntityIndex entity) const;
  /// `candidate` is a row to compare first, or PositionHash::none.
  EntityIndex intern(const Key& key, std::uint64_t hash, std::uint32_t candidate);
  void prefetch_slot(std::uint64_t hash) const { entity_hash_.prefetch(hash); }
  /// Prefetches the row that probably has this hash, and returns it, or PositionHash::none.
  std::uint32_t prefetch_row(std::uint64_t hash) const;
  bool matches(EntityIndex entity, const Key& key) const;
  void rebuild_hash();  // needed before intern() after shrink()
  std::uint32_t intern_family(const EntityFamily& family);

  std::vector<EntityFamily> families_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> seq_ids_;  ///< one per row if any entity has both id and seq_id, else empty
  std::vector<std::uint32_t> index_words_;
  support::PositionHash entity_hash_;
  support::PositionHash family_hash_;
  std::uint32_t last_family_ = 0;
};

/// Members of an entity that identify the object for users, as text; empty if absent.
struct ObjectName {
  std::string number;      ///< `id`, else `seq_id`
  std::string collection;  ///< `collection_id`
  std::string index;       ///< coordinates separated by commas
};

/// Returns the name of an entity.
ObjectName name_of(const EntityTable& entities, EntityIndex entity);

}  // namespace plimsoll::lbdata
