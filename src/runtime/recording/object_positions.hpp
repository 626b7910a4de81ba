#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Positions of objects by slot, for strategies that use geometry. Positions are kept until they are changed
/// or removed.
class ObjectPositions {
 public:
  /// Sets the position of an object. Amortised O(1). Throws Error (usage) unless it consists of 1 to 3 finite
  /// coordinates, as many as the other positions.
  void set(std::uint32_t slot, std::span<const double> position);
  void remove(std::uint32_t slot);

  /// Returns the position of an object; empty if it has none.
  std::span<const double> operator[](std::size_t slot) const {
    if (slot >= known_.size() || !known_[slot]) return {};
    return std::span(coordinates_).subspan(slot * axes_, axes_);
  }
  /// Returns the number of coordinates per position; 0 if no object has a position.
  std::size_t axes() const { return count_ == 0 ? 0 : axes_; }

 private:
  std::vector<double> coordinates_;  // axes_ per slot
  std::vector<bool> known_;          // whether an object has a position, by slot
  std::size_t axes_ = 0;
  std::size_t count_ = 0;
};

}  // namespace plimsoll::runtime
