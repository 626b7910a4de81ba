#include <algorithm>
#include <cstring>
#include <limits>

#include <plimsoll/lbdata/entity_table.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::lbdata {

namespace {

bool fits_32_bits(std::span<const std::int64_t> values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) {
    return value == static_cast<std::int32_t>(value);
  });
}

std::uint64_t hash_of(const EntityFamily& family) {
  std::uint64_t flags = 0;
  for (const bool flag :
       {family.has_id, family.has_seq_id, family.has_home, family.has_migratable, family.has_index,
        family.has_collection_id, family.has_objgroup_id, family.migratable, family.number_is_negative,
        family.seq_id_is_negative, family.wide_index}) {
    flags = 2 * flags + (flag ? 1 : 0);
  }
  std::uint64_t hash = mix_bits(flags + (std::uint64_t{family.index_size} << 32) + family.type.size());
  hash = mix_bits(hash ^ family.collection_id.bits);
  return mix_bits(hash + family.objgroup_id.bits);
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

/// Without building an EntityFamily: the test that nearly every intern() passes at once.
bool describes(const EntityFamily& family, const Entity& entity, bool wide_index) {
  return family.has_id == entity.id.has_value() && family.has_seq_id == entity.seq_id.has_value() &&
         family.has_home == entity.home.has_value() &&
         family.has_migratable == entity.migratable.has_value() &&
         family.has_index == entity.index.has_value() &&
         family.has_collection_id == entity.collection_id.has_value() &&
         family.has_objgroup_id == entity.objgroup_id.has_value() &&
         family.migratable == entity.migratable.value_or(false) &&
         family.number_is_negative == entity.number().negative &&
         family.seq_id_is_negative == (entity.seq_id && entity.seq_id->negative) &&
         family.wide_index == wide_index &&
         family.index_size == (entity.index ? entity.index->size() : 0) &&
         family.collection_id == entity.collection_id.value_or(WideInteger{}) &&
         family.objgroup_id == entity.objgroup_id.value_or(WideInteger{}) && family.type == entity.type;
}

constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

bool operator==(const Entity& left, const Entity& right) {
  if (left.index.has_value() != right.index.has_value()) return false;
  if (left.index && !std::ranges::equal(*left.index, *right.index)) return false;
  return left.type == right.type && left.id == right.id && left.seq_id == right.seq_id &&
         left.collection_id == right.collection_id && left.objgroup_id == right.objgroup_id &&
         left.home == right.home && left.migratable == right.migratable;
}

/// One row of the columns; `words` are the index values as stored.
struct EntityTable::Key {
  std::uint32_t family;
  std::int32_t home;
  std::uint64_t number;
  std::uint64_t seq_id;
  const std::uint32_t* words;
  std::size_t word_count;

  bool operator==(const Key& other) const {
    return number == other.number && family == other.family && home == other.home && seq_id == other.seq_id &&
           word_count == other.word_count &&
           (word_count == 0 || std::memcmp(words, other.words, word_count * sizeof *words) == 0);
  }

  std::uint64_t hash() const {
    std::uint64_t hash = number + (std::uint64_t{family} << 40) + seq_id * 0x9e3779b97f4a7c15ULL;
    hash = mix_bits(hash ^ (static_cast<std::uint64_t>(static_cast<std::uint32_t>(home)) << 24));
    for (std::size_t i = 0; i < word_count; ++i) hash = (hash ^ words[i]) * 0x9ddfea08eb382d69ULL;
    return word_count == 0 ? hash : mix_bits(hash);
  }
};

EntityTable::Key EntityTable::key_of(EntityIndex entity) const {
  const EntityFamily& family = families_[family_[entity]];
  return {.family = family_[entity],
          .home = homes_[entity],
          .number = numbers_[entity],
          .seq_id = seq_ids_.empty() ? 0 : seq_ids_[entity],
          .words = index_words_.data() + index_begin_[entity],
          .word_count = std::size_t{family.index_size} * (family.wide_index ? 2 : 1)};
}

EntityIndex EntityTable::intern(const Entity& entity) {
  const bool wide = entity.index && !fits_32_bits(*entity.index);
  if (last_family_ >= families_.size() || !describes(families_[last_family_], entity, wide)) {
    last_family_ = intern_family(family_of(entity, wide));
  }
  std::vector<std::uint32_t> long_index;
  std::uint32_t short_index[8];
  std::uint32_t* words = short_index;
  std::size_t word_count = 0;
  if (entity.index) {
    word_count = entity.index->size() * (wide ? 2 : 1);
    if (word_count > std::size(short_index)) {
      long_index.resize(word_count);
      words = long_index.data();
    }
    std::uint32_t* word = words;
    for (const std::int64_t value : *entity.index) {
      *word++ = static_cast<std::uint32_t>(value);
      if (wide) *word++ = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
    }
  }
  return intern(Key{.family = last_family_,
                    .home = entity.home.value_or(0),
                    .number = entity.number().bits,
                    .seq_id = entity.id && entity.seq_id ? entity.seq_id->bits : 0,
                    .words = words,
                    .word_count = word_count});
}

EntityIndex EntityTable::intern(const Key& key) {
  const auto hash_of_row = [this](std::uint32_t row) { return key_of(row).hash(); };
  if (entity_hash_.size() != size()) {  // after shrink()
    for (std::uint32_t row = 0; row < size(); ++row) entity_hash_.insert(hash_of_row(row), row, hash_of_row);
  }
  const std::uint64_t hash = key.hash();
  const std::uint32_t found =
      entity_hash_.find(hash, [&](std::uint32_t row) { return numbers_[row] == key.number && key_of(row) == key; });
  if (found != PositionHash::none) return found;

  if (size() >= max_rows || index_words_.size() + key.word_count >= max_rows) {
    throw support::bad_input("more than 4,294,967,294 distinct entities or index values", {},
                             "read fewer files or phases at a time");
  }
  const auto row = static_cast<EntityIndex>(size());
  entity_hash_.insert(hash, row, hash_of_row);
  if (key.seq_id != 0 && seq_ids_.empty()) seq_ids_.resize(size(), 0);
  if (key.seq_id != 0 || !seq_ids_.empty()) seq_ids_.push_back(key.seq_id);
  numbers_.push_back(key.number);
  homes_.push_back(key.home);
  family_.push_back(key.family);
  index_begin_.push_back(static_cast<std::uint32_t>(index_words_.size()));
  index_words_.insert(index_words_.end(), key.words, key.words + key.word_count);
  return row;
}

std::vector<EntityIndex> EntityTable::merge(const EntityTable& other) {
  std::vector<std::uint32_t> family_here(other.families_.size());
  for (std::size_t i = 0; i < family_here.size(); ++i) family_here[i] = intern_family(other.families_[i]);
  std::vector<EntityIndex> entity_here(other.size());
  for (std::uint32_t row = 0; row < other.size(); ++row) {
    Key key = other.key_of(row);
    key.family = family_here[key.family];
    entity_here[row] = intern(key);
  }
  return entity_here;
}

std::uint32_t EntityTable::intern_family(const EntityFamily& family) {
  const std::uint64_t hash = hash_of(family);
  const std::uint32_t found =
      family_hash_.find(hash, [&](std::uint32_t row) { return families_[row] == family; });
  if (found != PositionHash::none) return found;
  const auto row = static_cast<std::uint32_t>(families_.size());
  family_hash_.insert(hash, row, [this](std::uint32_t other) { return hash_of(families_[other]); });
  families_.push_back(family);
  return row;
}

WideInteger EntityTable::seq_id(EntityIndex entity) const {
  const EntityFamily& shared = family(entity);
  if (!shared.has_id) return number(entity);
  return {seq_ids_.empty() ? 0 : seq_ids_[entity], shared.seq_id_is_negative};
}

IndexTuple EntityTable::index(EntityIndex entity) const {
  const EntityFamily& shared = family(entity);
  return {index_words_.data() + index_begin_[entity], shared.index_size, shared.wide_index};
}

std::size_t EntityTable::memory_bytes() const {
  return numbers_.capacity() * sizeof(std::uint64_t) + seq_ids_.capacity() * sizeof(std::uint64_t) +
         homes_.capacity() * sizeof(std::int32_t) + family_.capacity() * sizeof(std::uint32_t) +
         index_begin_.capacity() * sizeof(std::uint32_t) + index_words_.capacity() * sizeof(std::uint32_t) +
         families_.size() * sizeof(EntityFamily) + entity_hash_.memory_bytes() + family_hash_.memory_bytes();
}

void EntityTable::shrink() {
  entity_hash_.clear();
  numbers_.shrink_to_fit();
  seq_ids_.shrink_to_fit();
  homes_.shrink_to_fit();
  family_.shrink_to_fit();
  index_begin_.shrink_to_fit();
  index_words_.shrink_to_fit();
}

}  // namespace plimsoll::lbdata
