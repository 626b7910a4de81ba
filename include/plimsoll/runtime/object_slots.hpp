#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Numbered slots of the objects on this rank. They also determine whether handles are valid: each slot has a
/// generation, which changes when its object is removed. Slots below first_object are for time that belongs
/// to no object.
class ObjectSlots {
 public:
  static constexpr std::uint32_t background = 0;
  static constexpr std::uint32_t idle = 1;
  static constexpr std::uint32_t first_object = 2;

  /// Creates the slots without objects. A default handle, with slot and generation 0, is never valid.
  ObjectSlots() : generations_(first_object, 1) {}

  bool is_valid(ObjectHandle object) const {
    return object.slot < generations_.size() && generations_[object.slot] == object.generation;
  }
  /// Returns the valid handle of a slot.
  ObjectHandle handle(std::size_t slot) const {
    return {static_cast<std::uint32_t>(slot), generations_[slot]};
  }
  std::size_t size() const { return generations_.size(); }

  void add() { generations_.push_back(0); }
  /// Invalidates all existing handles of a slot.
  void invalidate(std::uint32_t slot) { ++generations_[slot]; }

 private:
  std::vector<std::uint32_t> generations_;
};

}  // namespace plimsoll::runtime
