#include "runtime/recording/object_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

void ObjectPositions::set(std::uint32_t slot, std::span<const double> position) {
  if (position.empty() || position.size() > 3)
    throw support::usage_error(fmt::format("invalid position with {} coordinates", position.size()),
                               "specify 1, 2 or 3 coordinates");
  if (count_ > 0 && position.size() != axes_)
    throw support::usage_error(
        fmt::format("invalid position with {} coordinates: other positions have {}", position.size(), axes_),
        "specify the same number of coordinates for all objects");
  for (const double coordinate : position)
    if (!std::isfinite(coordinate))
      throw support::usage_error(
          fmt::format("invalid coordinate {} of a position: must be finite", coordinate));
  if (count_ == 0) {
    axes_ = position.size();
    known_.clear();
  }
  if (slot >= known_.size()) {
    known_.resize(slot + std::size_t{1});
    coordinates_.resize(known_.size() * axes_);
  }
  if (!known_[slot]) ++count_;
  known_[slot] = true;
  std::ranges::copy(position, coordinates_.begin() + static_cast<std::ptrdiff_t>(slot * axes_));
}

void ObjectPositions::remove(std::uint32_t slot) {
  if ((*this)[slot].empty()) return;
  known_[slot] = false;
  --count_;
}

}  // namespace plimsoll::runtime
