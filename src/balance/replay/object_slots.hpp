#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>

#include "balance/database/phase_records.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Numbers the migratable objects of a run from 0 in the order in which they appear. Objects of different
/// phases are the same if their numbers in the data are the same, on any rank.
class ObjectSlots {
 public:
  /// Slot of a non-migratable object.
  static constexpr std::uint32_t fixed = ~std::uint32_t{0};

  /// The table must outlive this object.
  explicit ObjectSlots(const lbdata::EntityTable& entities);
  /// Returns the slot of each object of a phase, in the order of LDStats::obj_data. Expected O(tasks).
  std::vector<std::uint32_t> of(const Records& records);
  /// Returns the slot of the migratable object with this number, which is new unless of() has seen it.
  std::uint32_t slot_of(lbdata::WideInteger number);

 private:
  const lbdata::EntityTable& entities_;
  std::vector<std::uint32_t> slot_of_entity_;  // `unknown` before the entity has had a task
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, 2>
      slot_of_number_;  // by WideInteger::negative
};

/// Ranks of the objects of a run, by slot.
class SlotPlacement {
 public:
  /// Returns the rank of each object of a phase. Objects that are new, and those that cannot migrate, are on
  /// their recorded ranks.
  std::vector<std::int32_t> ranks(std::span<const std::uint32_t> slots,
                                  std::span<const std::int32_t> recorded);
  /// Places the object of a slot that ranks() has seen.
  void set(std::uint32_t slot, std::int32_t rank) { rank_of_slot_[slot] = rank; }

 private:
  std::vector<std::int32_t> rank_of_slot_;  // below 0 if unknown
};

}  // namespace plimsoll::balance
