#include "lbdata/converting/object_numbering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lbdata/model/dataset_builder.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Key that sorts numbers: negative ones first.
std::tuple<bool, std::uint64_t> key(const WideInteger& number) {
  return {!number.negative, number.bits};
}

/// Returns an entity of a table. `index` stores its index tuple.
Entity entity_at(const EntityTable& entities, EntityIndex entity, std::vector<std::int64_t>& index) {
  const EntityFamily& family = entities.family(entity);
  Entity result{.type = family.type};
  if (family.has_id) result.id = entities.number(entity);
  if (family.has_seq_id) result.seq_id = entities.seq_id(entity);
  if (family.has_collection_id) result.collection_id = family.collection_id;
  if (family.has_objgroup_id) result.objgroup_id = family.objgroup_id;
  if (family.has_home) result.home = entities.home(entity);
  if (family.has_migratable) result.migratable = family.migratable;
  if (!family.has_index) return result;
  const IndexTuple tuple = entities.index(entity);
  index.clear();
  for (std::size_t k = 0; k < tuple.size(); ++k) index.push_back(tuple[k]);
  result.index = index;
  return result;
}

Error cannot_encode(const WideInteger& number, const std::string& reason) {
  return support::bad_input(fmt::format("cannot encode the id of object {}: {}", to_string(number), reason),
                            {}, "correct the data, or keep seq_id");
}

}  // namespace

ObjectNumbering::Object ObjectNumbering::described(const EntityTable& entities, EntityIndex entity) {
  const EntityFamily& family = entities.family(entity);
  Object object{.number = entities.number(entity), .lacks_id = !family.has_id};
  if (family.has_home) object.home = entities.home(entity);
  if (family.has_migratable) object.migratable = family.migratable;
  if (family.has_collection_id) object.collection_id = family.collection_id;
  return object;
}

void ObjectNumbering::add(const EntityTable& entities) {
  std::vector<Object> objects;
  for (EntityIndex entity = 0; entity < entities.size(); ++entity)
    if (entities.kind(entity) == EntityKind::object) objects.push_back(described(entities, entity));
  const std::scoped_lock lock(mutex_);
  objects_.insert(objects_.end(), objects.begin(), objects.end());
}

void ObjectNumbering::add_description(Object& object, const Object& other) {
  const auto add = [&](auto& known, const auto& value) {
    if (known && value && *known != *value) object.is_contradictory = true;
    if (!known) known = value;
  };
  add(object.home, other.home);
  add(object.migratable, other.migratable);
  if (!object.collection_id) object.collection_id = other.collection_id;
  object.lacks_id = object.lacks_id || other.lacks_id;
}

void ObjectNumbering::assign() {
  // Sort by all members, because the order in which threads add objects must not matter.
  std::ranges::sort(objects_, {}, [](const Object& object) {
    const WideInteger collection = object.collection_id.value_or(WideInteger{});
    return std::tuple(key(object.number), !object.collection_id, key(collection), object.home,
                      object.migratable);
  });
  std::vector<Object> distinct;
  for (const Object& object : objects_) {
    if (distinct.empty() || distinct.back().number != object.number)
      distinct.push_back(object);
    else
      add_description(distinct.back(), object);
  }
  objects_ = std::move(distinct);
  if (renumber_) number_densely();
  if (!encode_ids_) return;
  for (Object& object : objects_)
    if (renumber_ || object.lacks_id) encode(object);
  expect_different_ids();
}

void ObjectNumbering::number_densely() {
  for (std::size_t k = 0; k < objects_.size(); ++k) {
    Object& object = objects_[k];
    object.seq_id = WideInteger{k};
    // The schema requires it of migratable objects with a `seq_id`.
    if (object.migratable.value_or(false) && !object.collection_id)
      object.collection_id = WideInteger{first_collection_id};
  }
}

void ObjectNumbering::encode(Object& object) const {
  const WideInteger number = object.seq_id.value_or(object.number);
  object.id = number;
  if (!object.collection_id) return;
  if (object.is_contradictory) throw cannot_encode(object.number, "its descriptions differ");
  if (!object.home || !object.migratable) throw cannot_encode(object.number, "its home is unknown");
  if (number.negative || *object.home < 0) throw cannot_encode(object.number, "a number is negative");
  try {
    object.id = WideInteger{lbdata::encode(
        {.kind = *object.migratable ? IdentifierKind::migratable_element : IdentifierKind::fixed_element,
         .home = static_cast<std::uint32_t>(*object.home),
         .sequence = number.bits})};
  } catch (const Error& error) {
    throw cannot_encode(object.number, error.diagnostic().what);
  }
}

void ObjectNumbering::expect_different_ids() const {
  std::vector<std::pair<WideInteger, WideInteger>> ids;  // id and previous number
  for (const Object& object : objects_) ids.emplace_back(object.id.value_or(object.number), object.number);
  const auto id_key = [](const auto& id) { return key(id.first); };
  std::ranges::stable_sort(ids, {}, id_key);
  const auto twice = std::ranges::adjacent_find(ids, {}, id_key);
  if (twice == ids.end()) return;
  throw support::bad_input(
      fmt::format("objects {} and {} would have the same id {}", to_string(twice->second),
                  to_string(std::next(twice)->second), to_string(twice->first)),
      {}, "renumber the objects, too");
}

void ObjectNumbering::change(Entity& entity) const {
  const auto object = std::ranges::lower_bound(objects_, key(entity.number()), {},
                                               [](const Object& known) { return key(known.number); });
  PLIMSOLL_EXPECT(object != objects_.end() && object->number == entity.number());
  if (!object->seq_id && !object->id) return;
  entity.id = object->id;
  if (object->seq_id) entity.seq_id = object->seq_id;
  if (entity.migratable.value_or(false) && entity.seq_id && !entity.collection_id)
    entity.collection_id = object->collection_id;
}

void ObjectNumbering::apply(Dataset& rank) const {
  EntityTable entities;
  std::vector<EntityIndex> replacement;
  std::vector<std::int64_t> index;
  for (EntityIndex number = 0; number < rank.entities.size(); ++number) {
    Entity entity = entity_at(rank.entities, number, index);
    if (entity.kind() == EntityKind::object) change(entity);
    replacement.push_back(entities.intern(entity));
  }
  rank.entities = std::move(entities);
  for (RankData& data : rank.ranks)
    for (PhaseRecord& phase : data.phases) replace_entities(phase, replacement);
}

}  // namespace plimsoll::lbdata
