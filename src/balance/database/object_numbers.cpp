#include "balance/database/object_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

ObjectNumbers::ObjectNumbers(const lbdata::EntityTable& entities,
                             const std::vector<const lbdata::PhaseRecord*>& records, std::uint32_t first_rank)
    : entities_(entities), first_rank_(first_rank) {
  object_entities_.reserve(count_tasks(records));
  for (const lbdata::PhaseRecord* record : records) {
    first_object_.push_back(static_cast<std::uint32_t>(object_entities_.size()));
    object_entities_.insert(object_entities_.end(), record->tasks.entity.begin(), record->tasks.entity.end());
  }
  std::uint32_t object = 0;
  for (std::uint32_t record = 0; record < records.size(); ++record)
    for (std::size_t task = 0; task < records[record]->tasks.size(); ++task) add(object++, record);
}

std::uint32_t ObjectNumbers::first_with(lbdata::WideInteger number) const {
  return first_objects_.find(support::mix_bits(number.bits), [&](std::uint32_t object) {
    return entities_.number(object_entities_[object]) == number;
  });
}

void ObjectNumbers::add(std::uint32_t object, std::uint32_t record) {
  const lbdata::EntityIndex entity = object_entities_[object];
  if (entities_.kind(entity) != lbdata::EntityKind::object) return;
  const lbdata::WideInteger number = entities_.number(entity);
  const std::uint32_t first = first_with(number);
  if (first == support::PositionHash::none) {
    first_objects_.insert(support::mix_bits(number.bits), object, [&](std::uint32_t other) {
      return support::mix_bits(entities_.number(object_entities_[other]).bits);
    });
    return;
  }
  const bool both_stay = !entities_.migratable(entity) && !entities_.migratable(object_entities_[first]);
  const bool same_rank = first >= first_object_[record];
  if (both_stay && !same_rank && repeats_.insert({{first, record}, object}).second) return;
  throw support::bad_input(
      fmt::format("object {} has two tasks in one phase, on ranks {} and {}", to_string(number),
                  rank_of(CommEnd::object(first)), first_rank_ + record),
      {}, "use unique numbers: only non-migratable objects may share a number across ranks");
}

std::optional<std::uint32_t> ObjectNumbers::find(lbdata::EntityIndex entity, std::uint32_t record) const {
  if (entities_.kind(entity) != lbdata::EntityKind::object) return {};
  const std::uint32_t first = first_with(entities_.number(entity));
  if (first == support::PositionHash::none) return {};
  if (repeats_.empty()) return first;
  const auto own = repeats_.find({first, record});
  return own == repeats_.end() ? first : own->second;
}

std::uint32_t ObjectNumbers::rank_of(CommEnd end) const {
  if (!end.is_object()) return first_rank_ + end.index();
  const auto after = std::ranges::upper_bound(first_object_, end.index());
  return first_rank_ + static_cast<std::uint32_t>(after - first_object_.begin()) - 1;
}

std::size_t count_tasks(const std::vector<const lbdata::PhaseRecord*>& records) {
  std::size_t n_tasks = 0;
  for (const lbdata::PhaseRecord* record : records) n_tasks += record->tasks.size();
  return n_tasks;
}

}  // namespace plimsoll::balance
