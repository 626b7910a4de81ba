#include "balance/object_numbers.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

std::string to_text(lbdata::WideInteger number) {
  return number.negative ? fmt::format("{}", static_cast<std::int64_t>(number.bits))
                         : fmt::format("{}", number.bits);
}

}  // namespace

ObjectNumbers::ObjectNumbers(const lbdata::EntityTable& entities,
                             const std::vector<const lbdata::PhaseRecord*>& records)
    : entities_(entities) {
  for (const lbdata::PhaseRecord* record : records) {
    first_object_of_rank_.push_back(static_cast<std::uint32_t>(object_entities_.size()));
    object_entities_.insert(object_entities_.end(), record->tasks.entity.begin(), record->tasks.entity.end());
  }
  slots_.resize(std::bit_ceil(2 * object_entities_.size() + 2));
  std::uint32_t object = 0;
  for (std::uint32_t rank = 0; rank < records.size(); ++rank)
    for (std::size_t task = 0; task < records[rank]->tasks.size(); ++task) add(object++, rank);
}

std::size_t ObjectNumbers::first_slot(lbdata::WideInteger number) const {
  // vt's numbers differ in a few middle bits only (sequence << 18 | home << 2 | 3): mix all into the top
  // ones.
  std::uint64_t bits = number.bits;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return (bits ^ (bits >> 31)) & (slots_.size() - 1);
}

void ObjectNumbers::add(std::uint32_t object, std::uint32_t rank) {
  const lbdata::EntityIndex entity = object_entities_[object];
  if (entities_.kind(entity) != lbdata::EntityKind::object) return;
  const lbdata::WideInteger number = entities_.number(entity);
  std::size_t slot = first_slot(number);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t other = slots_[slot] - 1;
    if (entities_.number(object_entities_[other]) != number) continue;
    const bool both_stay = !entities_.migratable(entity) && !entities_.migratable(object_entities_[other]);
    const bool same_rank = other >= first_object_of_rank_[rank];
    if (!both_stay || same_rank || !repeats_.insert({{other, rank}, object}).second) {
      const auto other_rank =
          std::ranges::upper_bound(first_object_of_rank_, other) - first_object_of_rank_.begin() - 1;
      throw support::bad_input(
          fmt::format("object {} has two tasks in one phase, on ranks {} and {}", to_text(number), other_rank,
                      rank),
          {}, "only objects that are not migratable may have the same number on several ranks");
    }
    return;
  }
  slots_[slot] = object + 1;
}

std::optional<std::uint32_t> ObjectNumbers::find(lbdata::EntityIndex entity, std::uint32_t rank) const {
  if (entities_.kind(entity) != lbdata::EntityKind::object) return {};
  const lbdata::WideInteger number = entities_.number(entity);
  for (std::size_t slot = first_slot(number); slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t object = slots_[slot] - 1;
    if (entities_.number(object_entities_[object]) != number) continue;
    if (repeats_.empty()) return object;
    const auto own = repeats_.find({object, rank});
    return own == repeats_.end() ? object : own->second;
  }
  return {};
}

}  // namespace plimsoll::balance
