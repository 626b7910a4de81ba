#include "balance/replay/object_slots.hpp"

#include <algorithm>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::uint32_t unknown_slot = ObjectSlots::fixed - 1;
constexpr std::int32_t unknown_rank = -1;

}  // namespace

ObjectSlots::ObjectSlots(const lbdata::EntityTable& entities)
    : entities_(entities), slot_of_entity_(entities.size(), unknown_slot) {}

std::vector<std::uint32_t> ObjectSlots::of(const Records& records) {
  std::vector<std::uint32_t> slots;
  slots.reserve(count_tasks(records));
  for (const lbdata::PhaseRecord* record : records) {
    for (const lbdata::EntityIndex entity : record->tasks.entity) {
      std::uint32_t& slot = slot_of_entity_[entity];
      if (slot == unknown_slot)
        slot = is_migratable(entities_, entity) ? slot_of(entities_.number(entity)) : fixed;
      slots.push_back(slot);
    }
  }
  return slots;
}

std::uint32_t ObjectSlots::slot_of(lbdata::WideInteger number) {
  const std::size_t known = slot_of_number_[0].size() + slot_of_number_[1].size();
  return slot_of_number_[number.negative ? 1 : 0]
      .try_emplace(number.bits, static_cast<std::uint32_t>(known))
      .first->second;
}

std::vector<std::int32_t> SlotPlacement::ranks(std::span<const std::uint32_t> slots,
                                               std::span<const std::int32_t> recorded) {
  std::vector<std::int32_t> ranks(recorded.begin(), recorded.end());
  for (std::size_t object = 0; object < slots.size(); ++object) {
    const std::uint32_t slot = slots[object];
    if (slot == ObjectSlots::fixed) continue;
    if (slot >= rank_of_slot_.size()) rank_of_slot_.resize(slot + std::size_t{1}, unknown_rank);
    std::int32_t& rank = rank_of_slot_[slot];
    if (rank == unknown_rank) rank = recorded[object];
    ranks[object] = rank;
  }
  return ranks;
}

}  // namespace plimsoll::balance
