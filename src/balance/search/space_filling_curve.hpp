#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/ld_stats.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Order of cells in space.
enum class SpaceFillingCurve {
  hilbert,  ///< consecutive cells are neighbours
  morton,   ///< bits of the coordinates in turn
};

/// Returns the position on the curve of a cell with the given coordinates, each below 2^bits. bits x axes is
/// at most 64. O(bits x axes). Source: J. Skilling, "Programming the Hilbert curve", AIP Conference
/// Proceedings 707, 381 (2004).
std::uint64_t curve_position(SpaceFillingCurve curve, std::span<std::uint32_t> cell, unsigned bits);

/// Returns the position of each object on a curve through the cube around the positions of all objects. The
/// cube has up to 2^21 cells per side with three axes, and 2^31 with one or two; whole numbers have a cell
/// each. Only the first 32 axes count. The stats must have positions.
std::vector<std::uint64_t> curve_positions(SpaceFillingCurve curve, const LDStats& stats);

}  // namespace plimsoll::balance
