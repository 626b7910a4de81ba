#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/support/error.hpp>

#include "lbdata/model/entity_key.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

bool fits_32_bits(std::span<const std::int64_t> values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t value) { return value == static_cast<std::int32_t>(value); });
}

std::uint64_t hash_of(const EntityFamily& family) {
  std::uint64_t flags = 0;
  for (const bool flag :
       {family.has_id, family.has_seq_id, family.has_home, family.has_migratable, family.has_index,
        family.has_collection_id, family.has_objgroup_id, family.migratable, family.number_is_negative,
        family.seq_id_is_negative, family.wide_index}) {
    flags = 2 * flags + (flag ? 1 : 0);
  }
  std::uint64_t hash =
      support::mix_bits(flags + (std::uint64_t{family.index_size} << 32) + family.type.size());
  hash = support::mix_bits(hash ^ family.collection_id.bits);
  return support::mix_bits(hash + family.objgroup_id.bits);
}

EntityFamily family_of(const Entity& entity, bool wide_index) {
  EntityFamily family;
  family.type = entity.type;
  family.kind = entity.kind();
  family.has_id = entity.id.has_value();
  family.has_seq_id = entity.seq_id.has_value();
  family.has_home = entity.home.has_value();
  family.has_migratable = entity.migratable.has_value();
  family.has_index = entity.index.has_value();
  family.has_collection_id = entity.collection_id.has_value();
  family.has_objgroup_id = entity.objgroup_id.has_value();
  family.migratable = entity.migratable.value_or(false);
  family.number_is_negative = entity.number().negative;
  family.seq_id_is_negative = entity.seq_id && entity.seq_id->negative;
  family.wide_index = wide_index;
  family.index_size = entity.index ? static_cast<std::uint32_t>(entity.index->size()) : 0;
  family.collection_id = entity.collection_id.value_or(WideInteger{});
  family.objgroup_id = entity.objgroup_id.value_or(WideInteger{});
  return family;
}

/// Compares without building an EntityFamily: nearly every call of intern() succeeds here.
bool describes(const EntityFamily& family, const Entity& entity, bool wide_index) {
  const EntityKind kind = entity.kind();
  return family.kind == kind && family.has_id == entity.id.has_value() &&
         family.has_seq_id == entity.seq_id.has_value() && family.has_home == entity.home.has_value() &&
         family.has_migratable == entity.migratable.has_value() &&
         family.has_index == entity.index.has_value() &&
         family.has_collection_id == entity.collection_id.has_value() &&
         family.has_objgroup_id == entity.objgroup_id.has_value() &&
         family.migratable == entity.migratable.value_or(false) &&
         family.number_is_negative == entity.number().negative &&
         family.seq_id_is_negative == (entity.seq_id && entity.seq_id->negative) &&
         family.wide_index == wide_index && family.index_size == (entity.index ? entity.index->size() : 0) &&
         (!entity.collection_id || family.collection_id == *entity.collection_id) &&
         (!entity.objgroup_id || family.objgroup_id == *entity.objgroup_id) &&
         (kind != EntityKind::other || family.type == entity.type);
}

/// Returns the number of 32-bit words for an entity's index values outside its row.
std::size_t outside_words(const EntityFamily& family) {
  if (family.wide_index) return 2 * std::size_t{family.index_size};
  return family.index_size == 1 ? 0 : family.index_size;
}

constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

std::string to_string(WideInteger number) {
  return number.negative ? std::to_string(static_cast<std::int64_t>(number.bits))
                         : std::to_string(number.bits);
}

bool operator==(const Entity& left, const Entity& right) {
  if (left.index.has_value() != right.index.has_value()) return false;
  if (left.index && !std::ranges::equal(*left.index, *right.index)) return false;
  return left.type == right.type && left.id == right.id && left.seq_id == right.seq_id &&
         left.collection_id == right.collection_id && left.objgroup_id == right.objgroup_id &&
         left.home == right.home && left.migratable == right.migratable;
}

EntityTable::Key EntityTable::key_of(EntityIndex entity) const {
  PLIMSOLL_EXPECT(entity < size());
  const Row& row = rows_[entity];
  const EntityFamily& family = families_[row.family];
  const std::size_t word_count = outside_words(family);
  const bool in_row = word_count == 0 && family.index_size == 1;
  return {.number = row.number(),
          .seq_id = seq_ids_.empty() ? 0 : seq_ids_[entity],
          .family = row.family,
          .home = row.home,
          .single_index = in_row ? row.index : 0,
          .words = word_count > 0 ? index_words_.data() + row.index : nullptr,
          .word_count = word_count};
}

bool EntityTable::matches(EntityIndex entity, const Key& key) const {
  const Row& row = rows_[entity];
  if (row.number() != key.number || row.family != key.family || row.home != key.home) return false;
  if (!seq_ids_.empty() && seq_ids_[entity] != key.seq_id) return false;
  if (seq_ids_.empty() && key.seq_id != 0) return false;
  if (key.word_count == 0) return row.index == key.single_index;
  return std::equal(key.words, key.words + key.word_count, index_words_.data() + row.index);
}

std::uint32_t EntityTable::family_of(const Entity& entity) {
  const bool wide = entity.index && !fits_32_bits(*entity.index);
  if (last_family_ >= families_.size() || !describes(families_[last_family_], entity, wide))
    last_family_ = intern_family(lbdata::family_of(entity, wide));
  return last_family_;
}

void EntityTable::set_key(Key& key, const Entity& entity, std::uint32_t family, IndexWords& words) const {
  const EntityFamily& shared = families_[family];
  key.number = entity.number().bits;
  key.seq_id = entity.id && entity.seq_id ? entity.seq_id->bits : 0;
  key.family = family;
  key.home = entity.home.value_or(0);
  key.single_index = 0;
  key.word_count = outside_words(shared);
  if (key.word_count > 0) {
    std::uint32_t* word = words.room_for(key.word_count);
    key.words = word;
    for (const std::int64_t value : *entity.index) {
      *word++ = static_cast<std::uint32_t>(value);
      if (shared.wide_index) *word++ = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
    }
  } else if (entity.index && !entity.index->empty()) {
    key.single_index = static_cast<std::uint32_t>(entity.index->front());
  }
}

EntityIndex EntityTable::intern(const Entity& entity) {
  IndexWords words;
  Key key;
  set_key(key, entity, family_of(entity), words);
  return intern(key, key.hash(), support::PositionHash::none);
}

std::uint32_t EntityTable::prefetch_row(std::uint64_t hash) const {
  const std::uint32_t row = entity_hash_.first_row(hash);
  if (row != support::PositionHash::none) __builtin_prefetch(rows_.data() + row);
  return row;
}

EntityIndex EntityTable::intern(const Key& key, std::uint64_t hash, std::uint32_t candidate) {
  if (candidate != support::PositionHash::none && matches(candidate, key)) return candidate;
  const auto hash_of_row = [this](std::uint32_t other) { return key_of(other).hash(); };
  if (entity_hash_.size() != size()) rebuild_hash();
  const std::uint32_t found = entity_hash_.find(hash, [&](std::uint32_t row) { return matches(row, key); });
  if (found != support::PositionHash::none) return found;

  if (size() >= max_rows || index_words_.size() + key.word_count >= max_rows) {
    throw support::bad_input("more than 4,294,967,294 distinct entities or index values", {},
                             "use fewer files or phases at a time");
  }
  const auto row = static_cast<EntityIndex>(size());
  entity_hash_.insert(hash, row, hash_of_row);
  if (key.seq_id != 0 && seq_ids_.empty()) seq_ids_.resize(size(), 0);
  if (key.seq_id != 0 || !seq_ids_.empty()) seq_ids_.push_back(key.seq_id);
  rows_.push_back(
      {.number_low = static_cast<std::uint32_t>(key.number),
       .number_high = static_cast<std::uint32_t>(key.number >> 32),
       .home = key.home,
       .family = key.family,
       .index = key.word_count == 0 ? key.single_index : static_cast<std::uint32_t>(index_words_.size())});
  index_words_.insert(index_words_.end(), key.words, key.words + key.word_count);
  PLIMSOLL_ENSURE(entity_hash_.size() == size() && (seq_ids_.empty() || seq_ids_.size() == size()));
  return row;
}

void EntityTable::rebuild_hash() {
  const auto hash_of_row = [this](std::uint32_t row) { return key_of(row).hash(); };
  for (auto row = static_cast<std::uint32_t>(entity_hash_.size()); row < size(); ++row) {
    entity_hash_.insert(hash_of_row(row), row, hash_of_row);
  }
}

EntityIndex EntityTable::intern(const EntityTable& other, EntityIndex entity) {
  Key key = other.key_of(entity);
  key.family = intern_family(other.families_[key.family]);
  return intern(key, key.hash(), support::PositionHash::none);
}

std::vector<EntityIndex> EntityTable::merge(const EntityTable& other) {
  std::vector<std::uint32_t> family_here(other.families_.size());
  for (std::size_t i = 0; i < family_here.size(); ++i) family_here[i] = intern_family(other.families_[i]);
  std::vector<EntityIndex> entity_here(other.size());
  rebuild_hash();
  constexpr std::uint32_t batch = 16;
  Key keys[batch];
  std::uint64_t hashes[batch];
  std::uint32_t candidates[batch];
  for (std::uint32_t begin = 0; begin < other.size(); begin += batch) {
    const std::uint32_t count = std::min(batch, static_cast<std::uint32_t>(other.size()) - begin);
    for (std::uint32_t k = 0; k < count; ++k) {
      keys[k] = other.key_of(begin + k);
      keys[k].family = family_here[keys[k].family];
      hashes[k] = keys[k].hash();
      entity_hash_.prefetch(hashes[k]);
    }
    for (std::uint32_t k = 0; k < count; ++k) candidates[k] = prefetch_row(hashes[k]);
    for (std::uint32_t k = 0; k < count; ++k)
      entity_here[begin + k] = intern(keys[k], hashes[k], candidates[k]);
  }
  return entity_here;
}

std::uint32_t EntityTable::intern_family(const EntityFamily& family) {
  const std::uint64_t hash = hash_of(family);
  const std::uint32_t found =
      family_hash_.find(hash, [&](std::uint32_t row) { return families_[row] == family; });
  if (found != support::PositionHash::none) return found;
  const auto row = static_cast<std::uint32_t>(families_.size());
  family_hash_.insert(hash, row, [this](std::uint32_t other) { return hash_of(families_[other]); });
  families_.push_back(family);
  return row;
}

WideInteger EntityTable::seq_id(EntityIndex entity) const {
  const EntityFamily& shared = family(entity);
  PLIMSOLL_EXPECT(shared.has_seq_id);
  if (!shared.has_id) return number(entity);
  return {seq_ids_.empty() ? 0 : seq_ids_[entity], shared.seq_id_is_negative};
}

IndexTuple EntityTable::index(EntityIndex entity) const {
  const EntityFamily& shared = family(entity);
  const Row& row = rows_[entity];
  const bool in_row = outside_words(shared) == 0;
  return {in_row ? &row.index : index_words_.data() + row.index, shared.index_size, shared.wide_index};
}

std::size_t EntityTable::memory_bytes() const {
  return rows_.capacity() * sizeof(Row) + seq_ids_.capacity() * sizeof(std::uint64_t) +
         index_words_.capacity() * sizeof(std::uint32_t) + families_.capacity() * sizeof(EntityFamily) +
         entity_hash_.memory_bytes() + family_hash_.memory_bytes();
}

void EntityTable::shrink() {
  entity_hash_.clear();
  rows_.shrink_to_fit();
  seq_ids_.shrink_to_fit();
  index_words_.shrink_to_fit();
}

ObjectName name_of(const EntityTable& entities, EntityIndex entity) {
  const EntityFamily& family = entities.family(entity);
  ObjectName name{.number = to_string(entities.number(entity))};
  if (family.has_collection_id) name.collection = to_string(family.collection_id);
  if (family.has_index) {
    const IndexTuple index = entities.index(entity);
    for (std::size_t k = 0; k < index.size(); ++k)
      name.index += fmt::format("{}{}", k == 0 ? "" : ",", index[k]);
  }
  return name;
}

}  // namespace plimsoll::lbdata
