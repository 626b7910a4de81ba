#include "balance/search/space_filling_curve.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr std::size_t max_axes = 32;

/// Converts coordinates to those of the same point of the Hilbert curve on a Morton curve.
void to_hilbert(std::span<std::uint32_t> cell, unsigned bits) {
  const std::uint32_t top = std::uint32_t{1} << (bits - 1);
  for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
    const std::uint32_t below = bit - 1;
    for (std::uint32_t& axis : cell) {
      if ((axis & bit) != 0) {
        cell[0] ^= below;
      } else {
        const std::uint32_t swapped = (cell[0] ^ axis) & below;
        cell[0] ^= swapped;
        axis ^= swapped;
      }
    }
  }
  for (std::size_t axis = 1; axis < cell.size(); ++axis) cell[axis] ^= cell[axis - 1];
  std::uint32_t inverted = 0;
  for (std::uint32_t bit = top; bit > 1; bit >>= 1)
    if ((cell.back() & bit) != 0) inverted ^= bit - 1;
  for (std::uint32_t& axis : cell) axis ^= inverted;
}

/// Cube around the positions of all objects, divided into cells. If all coordinates are whole numbers, each
/// has its own cell, and small cubes have few bits.
class Cube {
 public:
  explicit Cube(const LDStats& stats)
      : n_axes_(std::min<std::size_t>(stats.n_axes, max_axes)),
        bits_(std::min(31U, 64U / static_cast<unsigned>(n_axes_))) {
    std::array<double, max_axes> high{};
    low_.fill(std::numeric_limits<double>::infinity());
    high.fill(-std::numeric_limits<double>::infinity());
    bool is_grid = true;
    for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
      const std::span<const double> position = stats.position(object);
      for (std::size_t axis = 0; axis < n_axes_; ++axis) {
        low_[axis] = std::min(low_[axis], position[axis]);
        high[axis] = std::max(high[axis], position[axis]);
        is_grid = is_grid && position[axis] == std::trunc(position[axis]);
      }
    }
    // Use halves, because the difference of two large coordinates may overflow.
    double half_side = 0;
    for (std::size_t axis = 0; axis < n_axes_; ++axis)
      half_side = std::max(half_side, high[axis] / 2 - low_[axis] / 2);
    const std::uint64_t last_cell = (std::uint64_t{1} << bits_) - 1;
    if (is_grid && 2 * half_side <= static_cast<double>(last_cell)) {
      bits_ = std::max(1U, static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(2 * half_side))));
      cells_per_half_ = 2;
    } else if (half_side > 0) {
      cells_per_half_ = static_cast<double>(last_cell) / half_side;
    }
  }

  unsigned bits() const { return bits_; }

  std::span<std::uint32_t> cell_of(std::span<const double> position) {
    for (std::size_t axis = 0; axis < n_axes_; ++axis)
      cell_[axis] = static_cast<std::uint32_t>((position[axis] / 2 - low_[axis] / 2) * cells_per_half_);
    return std::span(cell_).first(n_axes_);
  }

 private:
  std::size_t n_axes_;
  unsigned bits_;  // per axis
  std::array<double, max_axes> low_{};
  double cells_per_half_ = 0;
  std::array<std::uint32_t, max_axes> cell_{};
};

}  // namespace

std::uint64_t curve_position(SpaceFillingCurve curve, std::span<std::uint32_t> cell, unsigned bits) {
  PLIMSOLL_EXPECT(bits >= 1 && bits <= 31 && bits * cell.size() <= 64);
  if (curve == SpaceFillingCurve::hilbert) to_hilbert(cell, bits);
  std::uint64_t position = 0;
  for (unsigned bit = bits; bit-- > 0;)
    for (const std::uint32_t axis : cell) position = position << 1 | (axis >> bit & 1);
  return position;
}

std::vector<std::uint64_t> curve_positions(SpaceFillingCurve curve, const LDStats& stats) {
  PLIMSOLL_EXPECT(stats.n_axes > 0);
  Cube cube(stats);
  std::vector<std::uint64_t> positions;
  positions.reserve(stats.obj_data.size());
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object)
    positions.push_back(curve_position(curve, cube.cell_of(stats.position(object)), cube.bits()));
  return positions;
}

}  // namespace plimsoll::balance
