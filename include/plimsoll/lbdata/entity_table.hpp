#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/support/position_hash.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// The integers of an `index` tuple. Stored in 32 bits each where they fit.
class IndexTuple {
 public:
  IndexTuple() = default;
  IndexTuple(const std::uint32_t* words, std::uint32_t size, bool wide)
      : words_(words), size_(size), wide_(wide) {}

  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t position) const {
    if (!wide_) return static_cast<std::int32_t>(words_[position]);
    return static_cast<std::int64_t>(words_[2 * position] |
                                     (static_cast<std::uint64_t>(words_[2 * position + 1]) << 32));
  }

 private:
  const std::uint32_t* words_ = nullptr;
  std::uint32_t size_ = 0;
  bool wide_ = false;
};

/// What many entities have in common (all elements of a collection, say); stored once. `has_` tells which
/// members of Entity are present.
struct EntityFamily {
  std::string type;  ///< as Entity::type
  EntityKind kind = EntityKind::object;
  bool has_id = false;
  bool has_seq_id = false;
  bool has_home = false;
  bool has_migratable = false;
  bool has_index = false;
  bool has_collection_id = false;
  bool has_objgroup_id = false;
  bool migratable = false;          ///< meaningful if has_migratable
  bool number_is_negative = false;  ///< of `id`, else of `seq_id`
  bool seq_id_is_negative = false;  ///< of a seq_id beside an id
  bool wide_index = false;          ///< index values take 64 bits
  std::uint32_t index_size = 0;     ///< number of index values; 0 also if has_index is false
  WideInteger collection_id;        ///< meaningful if has_collection_id
  WideInteger objgroup_id;          ///< meaningful if has_objgroup_id

  friend bool operator==(const EntityFamily&, const EntityFamily&) = default;
};

/// All distinct entities of a data set: 20 bytes an entity, the value of a one-dimensional index included,
/// and 4 for each value of a longer one (8 where one exceeds 32 bits; 8 more in tables in which an entity
/// has both `id` and `seq_id`).
///
/// Two entities are the same only if every member is: an object that one file describes in full and
/// another by id alone has two entries with the same number().
class EntityTable {
 public:
  /// Adds the entity if it is new; returns its index. Amortised O(1).
  /// Throws Error (bad_input) beyond 2^32-2 entities or index values.
  EntityIndex intern(const Entity& entity);

  /// Fetches what intern() of this entity will look at first.
  void prefetch(const Entity& entity) const;

  /// Adds one entity of another table. Amortised O(1).
  EntityIndex intern(const EntityTable& other, EntityIndex entity);

  /// Adds all entities of another table; returns for each of them its index here. O(size of other).
  std::vector<EntityIndex> merge(const EntityTable& other);

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }

  const EntityFamily& family(EntityIndex entity) const { return families_[rows_[entity].family]; }
  EntityKind kind(EntityIndex entity) const { return family(entity).kind; }
  bool migratable(EntityIndex entity) const { return family(entity).migratable; }
  /// `id`, else `seq_id`: what tasks and edges refer to each other by.
  WideInteger number(EntityIndex entity) const {
    return {rows_[entity].number(), family(entity).number_is_negative};
  }
  /// `seq_id` of an entity whose family has one.
  WideInteger seq_id(EntityIndex entity) const;
  /// `home`; meaningful if the family has one.
  std::int32_t home(EntityIndex entity) const { return rows_[entity].home; }
  /// `index`; holds until the next intern().
  IndexTuple index(EntityIndex entity) const;

  /// Number of the entity's family, for those who keep something per family; below family_count().
  std::uint32_t family_number(EntityIndex entity) const { return rows_[entity].family; }
  std::size_t family_count() const { return families_.size(); }
  const EntityFamily& family_at(std::uint32_t number) const { return families_[number]; }

  /// Bytes of memory held.
  std::size_t memory_bytes() const;
  /// Gives back spare capacity and what only intern() needs; a later intern() rebuilds it. O(size).
  void shrink();

 private:
  /// Halves of the number, so that a row takes 20 bytes and not 24.
  struct Row {
    std::uint32_t number_low;
    std::uint32_t number_high;
    std::int32_t home;
    std::uint32_t family;
    std::uint32_t index;  ///< its value if it is one 32-bit value, else where its words begin

    std::uint64_t number() const { return number_low | (std::uint64_t{number_high} << 32); }
  };
  struct Key;
  EntityIndex intern(const Key& key);
  Key key_of(EntityIndex entity) const;
  bool matches(EntityIndex entity, const Key& key) const;
  void rebuild_hash();  // after shrink()
  std::uint32_t intern_family(const EntityFamily& family);

  std::vector<EntityFamily> families_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> seq_ids_;  ///< as long as rows_ once an entity has id and seq_id, else empty
  std::vector<std::uint32_t> index_words_;
  support::PositionHash entity_hash_;
  support::PositionHash family_hash_;
  std::uint32_t last_family_ = 0;
};

}  // namespace plimsoll::lbdata
