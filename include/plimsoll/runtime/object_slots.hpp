#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/runtime/object.hpp>

namespace plimsoll::inline v0_1::runtime {

/// The numbered slots of a rank's objects, and which handles are valid: each slot has a generation, which
/// changes when its object goes. The slots below first_object hold no object: they stand for time that
/// belongs to none.
class ObjectSlots {
 public:
  static constexpr std::uint32_t background = 0;
  static constexpr std::uint32_t idle = 1;
  static constexpr std::uint32_t first_object = 2;

  /// A default handle, of slot and generation 0, is never valid.
  ObjectSlots() : generations_(first_object, 1) {}

  bool is_valid(ObjectHandle object) const {
    return object.slot < generations_.size() && generations_[object.slot] == object.generation;
  }
  /// The valid handle of a slot.
  ObjectHandle handle(std::size_t slot) const {
    return {static_cast<std::uint32_t>(slot), generations_[slot]};
  }
  std::size_t size() const { return generations_.size(); }

  void add() { generations_.push_back(0); }
  /// The handles of a slot so far are no longer valid.
  void invalidate(std::uint32_t slot) { ++generations_[slot]; }

 private:
  std::vector<std::uint32_t> generations_;
};

}  // namespace plimsoll::runtime
